//go:build unix

package report

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOnlyFilesAreReadAgain: a pipe would wait for a writer that never comes.
func TestOnlyFilesAreReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe.yaml"), filepath.Join(dir, "file.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(file, []byte("a: b"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := readAgain(pipe); err == nil {
		t.Errorf("a pipe was read: %q", data)
	}
	if data, err := readAgain(file); err != nil || string(data) != "a: b" {
		t.Errorf("got %q, %v", data, err)
	}
	if _, err := readAgain(filepath.Join(dir, "nowhere.yaml")); err == nil {
		t.Error("what is not there was read")
	}
}
