package schema

import (
	"maps"
	"os"
	"strings"
	"testing"
)

// TestForeignKeysLeadToOurs: each leads to keys of the reference, and is none of ours in the same place.
func TestForeignKeysLeadToOurs(t *testing.T) {
	t.Parallel()
	reference, err := os.ReadFile("REFERENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	all := maps.Clone(foreign)
	maps.Copy(all, within)
	for name, meant := range all {
		if normal(name) != name || advice[name] != "" || adviceWithin[name] != "" {
			t.Errorf("%s is not looked up by its name", name)
		}
		for _, key := range strings.Split(meant.key, ".") {
			if !strings.Contains(string(reference), "`"+key+"`") {
				t.Errorf("%s leads to %s, but no key is called %s", name, meant.key, key)
			}
		}
	}
}

// TestAFolderIsNoFile: what is filled in from a folder is told what it is.
func TestAFolderIsNoFile(t *testing.T) {
	t.Parallel()
	_, err := System().ReadFile(t.TempDir(), 10)
	if err == nil || !strings.HasSuffix(err.Error(), "it is a folder, want a file") {
		t.Errorf("got %v", err)
	}
}
