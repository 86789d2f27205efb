package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"sonde/schema"
)

// TestFirstFile holds that the first file loads, also with all that its comments show, and that an editor
// which has only the schema says the same.
func TestFirstFile(t *testing.T) {
	t.Parallel()
	text, _, err := firstFile(nil)
	if err != nil {
		t.Fatal(err)
	}
	loadText(t, string(text))
	all := strings.NewReplacer("  # - ", "  - ", "  #   ", "    ").Replace(string(text))
	set := loadText(t, all)
	if len(set.Probes) != 3 {
		t.Errorf("the first file has %d probes with those of its comments, want 3:\n%s", len(set.Probes), all)
	}
	if err := editor(t).Validate(asEditor(t, all)); err != nil {
		t.Error(err)
	}
}

// editor is the schema as an editor has it.
func editor(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(schemaFile, doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// asEditor is a text as an editor's YAML reader has it.
func asEditor(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestNamesOfURLsAreLegal(t *testing.T) {
	t.Parallel()
	long := "https://www.example.com/" + strings.Repeat("long/", 100)
	urls := []string{long, long, "https://-_.example/%20/ä/../", "https://" + strings.Repeat("ä", 20) + ".example", "tcp://[::]:1", "https://_/", "https://A_B.example/~user;x"}
	text, n, err := firstFile(urls)
	if err != nil || n != len(urls) {
		t.Fatal(n, err)
	}
	if got := len(loadText(t, string(text)).Probes); got != n {
		t.Errorf("%d probes of %d URLs:\n%s", got, n, text)
	}
}

func TestWriteWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	if err := writeWhole(name, []byte("one"), false); err != nil {
		t.Fatal(err)
	}
	if err := writeWhole(name, []byte("two"), false); !errors.Is(err, fs.ErrExist) || readAll(t, name) != "one" {
		t.Errorf("over a file that is there: %v, and it holds %q; want ErrExist and what was there", err, readAll(t, name))
	}
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeWhole(name, []byte("two"), true); err != nil || readAll(t, name) != "two" {
		t.Errorf("over a file that may be replaced: %v, %q", err, readAll(t, name))
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v (%v), want what it was", info.Mode(), err)
	}
	if err := writeWhole(filepath.Join(dir, "none", "b"), nil, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%d files are left (%v), want the one", len(entries), err)
	}
}
