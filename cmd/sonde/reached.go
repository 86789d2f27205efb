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
	mu   sync.Mutex
	last schema.Reach
}

// note keeps what was read, whether it loads or not.
func (r *reached) note(now schema.Reach) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = now
}

func (r *reached) get() schema.Reach {
	if r == nil {
		return schema.Reach{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
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
