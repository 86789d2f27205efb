package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// writeWhole writes a file so that nobody ever sees a part of it: it is there whole under its name, or
// what was there is. Unless over is true a file that is there already is an error, fs.ErrExist.
func writeWhole(name string, data []byte, over bool) (err error) {
	if over {
		if real, err := filepath.EvalSymlinks(name); err == nil {
			name = real // the link stays one
		}
	}
	temporary, err := writeBeside(name, data)
	if err != nil {
		return err
	}
	defer os.Remove(temporary)
	if over {
		return os.Rename(temporary, name)
	}
	err = os.Link(temporary, name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return unlinked(err)
	}
	// A file system without links: between look and rename somebody else may write, as with any editor.
	if _, err := os.Lstat(name); err == nil {
		return fs.ErrExist
	}
	return os.Rename(temporary, name)
}

// unlinked is why a link could not be made, without the name of the temporary file.
func unlinked(err error) error {
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}

// writeBeside writes a file of an odd name in the folder of name, and returns it. Its mode is what the
// umask makes of a new file's, or that of the file which it is to replace.
func writeBeside(name string, data []byte) (temporary string, err error) {
	mode := fs.FileMode(0o666)
	info, err := os.Stat(name)
	if err == nil {
		mode = info.Mode().Perm()
	}
	temporary = filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%08x", filepath.Base(name), rand.Uint32()))
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(temporary)
	}
	return temporary, err
}
