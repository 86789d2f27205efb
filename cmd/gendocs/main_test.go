package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"sonde/probe/kinds"
)

// TestPagesAreFresh fails while a generated page is not what the code would make of it.
func TestPagesAreFresh(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	made, err := generated(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range made {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Errorf("%v; make it with: go generate ./...", err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is stale; mend it with: go generate ./...", name)
		}
	}
}

// TestPagesDoNotDependOnChance makes them twice: no map's order shows.
func TestPagesDoNotDependOnChance(t *testing.T) {
	t.Parallel()
	first, err := generated(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	second, err := generated(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for name := range first {
		if !bytes.Equal(first[name], second[name]) {
			t.Errorf("%s differs from one time to the next", name)
		}
	}
}

// yamlBlock and jsonBlock are blocks of YAML and of JSON in a page.
var (
	yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")
	jsonBlock = regexp.MustCompile("(?s)```json\n(.*?)```")
)

// TestExamplesOfTheReferenceLoad loads the YAML that the reference shows, with the real kinds.
func TestExamplesOfTheReferenceLoad(t *testing.T) {
	t.Parallel()
	made, err := generated(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	w := elsewhere()
	w.Glob = func(string) ([]string, error) { return []string{"targets/nodes.json"}, nil }
	read := w.ReadFile
	w.ReadFile = func(name string, limit int64) ([]byte, error) {
		if name == "targets/nodes.json" {
			return jsonBlock.FindSubmatch(made["schema/REFERENCE.md"])[1], nil
		}
		return read(name, limit)
	}
	blocks := yamlBlock.FindAllSubmatch(made["schema/REFERENCE.md"], -1)
	if len(blocks) == 0 {
		t.Fatal("the reference shows no YAML")
	}
	for _, b := range blocks {
		set, err := w.Parse("REFERENCE.md", b[1], kinds.All(nil, ""))
		if err != nil {
			t.Errorf("%v\nin\n%s", err, b[1])
		} else if len(set.Warnings) > 0 {
			t.Errorf("warnings %v\nin\n%s", set.Warnings, b[1])
		}
	}
}
