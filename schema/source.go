package schema

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxSize bounds a file.
const maxSize = 32 << 20

// expand is the files that paths name, each once.
func expand(paths []string) ([]string, error) {
	var files []string
	seen := map[string]bool{}
	for _, p := range paths {
		found, err := expandOne(p)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if abs, err := filepath.Abs(f); err != nil || !seen[abs] {
				seen[abs] = true
				files = append(files, f)
			}
		}
	}
	if len(files) == 0 {
		return nil, errors.New("no file to read: name a file or a folder")
	}
	return files, nil
}

// expandOne is the path itself, or, of a folder, the YAML files in it.
func expandOne(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		if isDefinition(e.Name()) && !isFolder(name) {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("folder %s holds no file named *.yaml or *.yml", path)
	}
	slices.Sort(files)
	return files, nil
}

// isDefinition is true of the names that are read in a folder. What begins with a dot is an editor's,
// or the ..data of a Kubernetes volume, whose files are linked beside it.
func isDefinition(name string) bool {
	return !strings.HasPrefix(name, ".") && (strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml"))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// read is the file's content, or a little more than may be of a file that is too large. What is no
// regular file is refused before it is opened, which alone might never end, but a pipe where one may be.
func read(name string, pipes bool) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	flags := os.O_RDONLY
	if !pipes || info.Mode()&fs.ModeNamedPipe == 0 {
		flags |= syscall.O_NONBLOCK // a pipe may have taken the file's place meanwhile
		if err := regular(name, info); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(name, flags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil && flags != os.O_RDONLY {
		err = regular(name, info)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, maxSize+1))
}

// regular says what a file is that is no regular one.
func regular(name string, info fs.FileInfo) error {
	what := "something else"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	}
	return &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w: it is %s", ErrNoFile, what)}
}

// ErrNoFile is in the error of a path that leads to a pipe, a device or a socket, where a regular file
// is wanted.
var ErrNoFile = errors.New("want a regular file")
