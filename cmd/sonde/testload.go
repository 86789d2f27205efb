package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"sonde/probe/kinds"
	"sonde/probe/script"
	"sonde/schema"
)

// This file reads files of tests, and the probes that they are for.

// readTests reads a file of tests.
func readTests(name string, into *script.File) (*schema.Decoded, error) {
	data, err := schema.System().ReadFile(name, 64<<20) // more than Decode takes
	if err != nil {
		return nil, err
	}
	return schema.Decode(name, data, into)
}

// probesOf loads the probes that a file of tests is for, over the network that plays the tests.
func probesOf(ctx context.Context, name string, file *script.File, n *script.Network) (*schema.Set, error) {
	var paths []string
	for _, p := range file.Probes {
		if !filepath.IsAbs(p) {
			p = filepath.Join(filepath.Dir(name), p)
		}
		paths = append(paths, p)
	}
	all, world := kinds.Over(n, thisBuild().Version), worldOf(name, file)
	s := source{name: strings.Join(paths, ", "), read: func() (*schema.Set, error) { return world.Load(paths, all) }}
	return s.load(ctx)
}

// worldOf is the machine on which the probes of a file of tests are read: what is filled in is what the
// file says.
func worldOf(name string, file *script.File) schema.World {
	w := schema.System()
	w.LookupEnv = func(key string) (string, bool) {
		value, ok := file.Env[key]
		return value, ok
	}
	texts := map[string]string{}
	for path, text := range file.Files {
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(name), path)
		}
		if abs, err := filepath.Abs(path); err == nil {
			texts[abs] = text
		}
	}
	read := w.ReadFile
	w.ReadFile = func(path string, limit int64) ([]byte, error) {
		if abs, err := filepath.Abs(path); err == nil {
			if text, ok := texts[abs]; ok {
				return []byte(text), nil
			}
		}
		return read(path, limit)
	}
	return w
}

// problemsOf are the problems that an error is; one that has no place stands at the beginning of the file.
func problemsOf(name string, err error) []schema.Problem {
	var problems schema.Problems
	if errors.As(err, &problems) {
		return problems
	}
	text := err.Error()
	var path *fs.PathError
	if errors.As(err, &path) {
		text = fmt.Sprintf("%s: %s", path.Path, path.Err)
	}
	return []schema.Problem{{File: name, Line: 1, Column: 1, Text: text}}
}

// noProbe says that a test's probe is not there.
func noProbe(name string, set *schema.Set) string {
	if where, ok := set.Disabled()[name]; ok {
		return fmt.Sprintf("is %q, which is disabled: enabled: false stands at %s", name, where)
	}
	text := fmt.Sprintf("is %q, which is none of the probes that are enabled", name)
	if near := nearest(name, set.Names()); near != "" {
		text += "; did you mean " + near + "?"
	}
	return text
}
