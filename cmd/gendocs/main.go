// Gendocs writes the pages that are made from the code: the JSON Schemas of definition files and of files
// of tests, the reference of the definition file, and that of the metrics. Its test fails while one of them is stale.
//
//	go generate ./...
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"sonde/cmd/gendocs/pages"
	"sonde/probe/kinds"
	"sonde/probe/script"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

// write writes the pages of the module that the working directory is in.
func write() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	made, err := generated(root)
	if err != nil {
		return err
	}
	for name, text := range made {
		if err := os.WriteFile(filepath.Join(root, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// generated makes the pages of the module at root, by their paths below it.
func generated(root string) (map[string][]byte, error) {
	all := kinds.All(nil, "")
	jsonSchema, err := pages.JSONSchema(root, all)
	if err != nil {
		return nil, err
	}
	reference, err := pages.Reference(root, all)
	if err != nil {
		return nil, err
	}
	tests, err := pages.JSONSchemaOf(root, "sonde's files of tests", &script.File{})
	if err != nil {
		return nil, err
	}
	metrics, err := pages.Metrics()
	if err != nil {
		return nil, err
	}
	return map[string][]byte{
		"schema/schema.json":       jsonSchema,
		"schema/tests.json":        tests,
		"schema/REFERENCE.md":      reference,
		"probe/metrics/METRICS.md": metrics,
	}, nil
}

// moduleRoot is the nearest folder with a go.mod, from the working directory upwards.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, statErr := os.Stat(filepath.Join(dir, "go.mod")); statErr == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod in the working directory or above it")
		}
		dir = parent
	}
	return "", err
}
