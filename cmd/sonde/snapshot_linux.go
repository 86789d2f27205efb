package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// snapshot is a file whose content is replaced as a whole. It is in memory, for in a container there may be
// no folder that can be written to, and it ends with the process, however that ends.
type snapshot struct{ fd int }

// newSnapshot makes an empty one.
func newSnapshot() (*snapshot, error) {
	fd, err := memoryFile()
	return &snapshot{fd}, err
}

func memoryFile() (int, error) {
	fd, err := unix.MemfdCreate("sonde-web-config", unix.MFD_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("making a file in memory: %w", err)
	}
	return fd, nil
}

// path is the same all its life: whoever opens it gets the content of that moment.
func (s *snapshot) path() string { return procPath(s.fd) }

func procPath(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// replace makes text the content, unless valid says that a file with it is not good.
func (s *snapshot) replace(text []byte, valid func(path string) error) error {
	next, err := memoryFile()
	if err != nil {
		return err
	}
	defer unix.Close(next)
	if err := os.WriteFile(procPath(next), text, 0o600); err != nil {
		return fmt.Errorf("writing the copy: %w", err)
	}
	if err := valid(procPath(next)); err != nil {
		return err
	}
	if err := unix.Dup3(next, s.fd, unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("replacing the copy: %w", err)
	}
	return nil
}

func (s *snapshot) close() { unix.Close(s.fd) }
