//go:build unix

package schema

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is no regular file is refused before it is opened; a pipe only where it is named and allowed.
func TestLoadReadsRegularFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "a.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path    string
		options []Option
		want    string
	}{
		{pipe, nil, "it is a pipe"},
		{dir, nil, "it is a pipe"},
		{dir, []Option{Pipes}, "it is a pipe"},
		{"/dev/zero", []Option{Pipes}, "it is a device"},
	} {
		if _, err := Load([]string{tt.path}, fakeKinds(), tt.options...); !errors.Is(err, ErrNoFile) || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want that %s", tt.path, err, tt.want)
		}
	}
}
