package schema

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNoFile is why a folder cannot be read in which nothing is named as a file of probes is.
var ErrNoFile = errors.New("holds no file named *.yaml or *.yml")

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
		return nil, fmt.Errorf("folder %s %w", path, ErrNoFile)
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

// read is the file's content, or a little more than may be of a file that is too large. A pipe that the
// shell hands over is read as a file is; another pipe, or a device, may have no end that anybody knows.
func read(name string) ([]byte, error) {
	if !handedOver(name) {
		return readRegular(name, maxSize+1)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSize+1))
}

// handedOver is true of the names by which a shell hands over what is open already.
func handedOver(name string) bool {
	return name == "/dev/stdin" || strings.HasPrefix(name, "/dev/fd/")
}
