package schema

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"sonde/probe"
)

// World is what a set of files may reach beside its own text: what ${…}, include and targets_from lead
// to. The zero World has nothing in it.
type World struct {
	// LookupEnv is the value of an environment variable, and whether it is set.
	LookupEnv func(name string) (string, bool)
	// ReadFile is the content of a file, cut after limit bytes.
	ReadFile func(name string, limit int64) ([]byte, error)
	// Glob is the files that match a pattern, sorted. The error is filepath.ErrBadPattern.
	Glob func(pattern string) ([]string, error)
	// Absent says that what ${…} leads to need not be there, nor the files that blocks of kinds name. A
	// placeholder stands for what is not; whether it is right is not judged. A probe that cannot be made
	// without has no Prober, so that the set can be looked at and reckoned with, and not run.
	Absent bool
}

// System is the world of this process. Of files only regular ones are read.
func System() World {
	return World{LookupEnv: os.LookupEnv, ReadFile: readRegular, Glob: filepath.Glob}
}

// Load reads files, and what they include. A path is a file of the system, or a folder of which every *.yaml
// and *.yml is read, sorted by name; hidden entries and subfolders are not. Nothing is kept of files that do
// not load: the error is Problems, or says which path could not be read.
func (w World) Load(paths []string, kinds []probe.Kind) (*Set, error) {
	l := newLoader(w, kinds)
	if err := l.read(paths); err != nil {
		return nil, err
	}
	return l.finish()
}

// Parse reads the text of one file, and what it includes. Name is what problems call it; relative paths
// in the text start at the folder of name. The error is Problems.
func (w World) Parse(name string, data []byte, kinds []probe.Kind) (*Set, error) {
	l := newLoader(w, kinds)
	l.file(&document{name: name}, data)
	return l.finish()
}

func (w World) env(name string) (string, bool) {
	if w.LookupEnv == nil {
		return "", false
	}
	return w.LookupEnv(name)
}

func (w World) read(name string, limit int64) ([]byte, error) {
	if w.ReadFile == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return w.ReadFile(name, limit)
}

func (w World) glob(pattern string) ([]string, error) {
	if w.Glob == nil {
		return nil, nil
	}
	return w.Glob(pattern)
}

// readRegular reads a file that cannot block: a pipe or a device has no end that anybody knows.
func readRegular(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("it is a folder, want a file")}
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("it is no regular file, want one: a pipe or a device has no end that is known")}
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe may have taken its place
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// identity is the same for two names of one file.
func identity(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return filepath.Clean(name)
}
