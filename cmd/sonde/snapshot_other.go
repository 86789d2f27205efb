//go:build !linux

package main

import (
	"os"
	"path/filepath"
)

// snapshot is a file whose content is replaced as a whole, in a folder that only this user can enter.
type snapshot struct{ folder string }

// newSnapshot makes one that is not there yet.
func newSnapshot() (*snapshot, error) {
	folder, err := os.MkdirTemp("", "sonde-")
	return &snapshot{folder}, err
}

// path is the same all its life: whoever opens it gets the content of that moment.
func (s *snapshot) path() string { return filepath.Join(s.folder, "web.yml") }

// replace makes text the content, unless valid says that a file with it is not good.
func (s *snapshot) replace(text []byte, valid func(path string) error) error {
	next := filepath.Join(s.folder, "next.yml")
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	if err := valid(next); err != nil {
		return err
	}
	return os.Rename(next, s.path())
}

func (s *snapshot) close() { os.RemoveAll(s.folder) }
