package main

import (
	"path/filepath"
	"strings"
	"sync"

	"sonde/schema"
)

// reached is what the files of a source led to when they were read last. A nil one has led nowhere. It
// may be used by several goroutines.
type reached struct {
	mu       sync.Mutex
	files    []string
	patterns []string
	sums     map[string]sum
}

// note keeps what a set, or one that did not load, has read. A nil set changes nothing.
func (r *reached) note(set *schema.Set) {
	if r == nil || set == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files, r.patterns, r.sums = set.Files, set.Patterns, set.Sums
}

func (r *reached) get() (files, patterns []string, sums map[string]sum) {
	if r == nil {
		return nil, nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.files, r.patterns, r.sums
}

// foldersOf are the folders in which a new file, or a new folder of such, would match a pattern.
func foldersOf(pattern string) []string {
	folder := filepath.Dir(pattern)
	found, _ := filepath.Glob(folder)
	for strings.ContainsAny(folder, "*?[") {
		folder = filepath.Dir(folder)
		found = append(found, folder)
	}
	return found
}
