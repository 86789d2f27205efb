package main

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestExampleTestsPass runs the tests of the examples. Each whole situation has a file of them.
func TestExampleTestsPass(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(root, "examples", "tests", "*.yaml"))
	for _, situation := range []string{"http", "tcp", "shop", "reuse", "secrets"} {
		if want := filepath.Join(root, "examples", "tests", situation+".yaml"); err != nil || !slices.Contains(files, want) {
			t.Errorf("examples/tests has no %s.yaml (%v), want a file of tests for each situation", situation, err)
		}
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			passes(t, file)
		})
	}
}

// passes holds that all tests of a file pass.
func passes(t *testing.T, file string) {
	t.Helper()
	f := testFile(t.Context(), file, nil)
	for _, p := range f.problems {
		t.Errorf("%s", p)
	}
	for _, one := range f.tests {
		for _, p := range one.wrong {
			t.Errorf("%s: %s\n%s", one.name, p, story(one.result))
		}
	}
	if len(f.tests) == 0 {
		t.Errorf("%s has no tests that run", file)
	}
}
