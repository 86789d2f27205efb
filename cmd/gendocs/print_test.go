package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"sonde/probe/kinds"
	"sonde/schema"
)

// TestWhatIsPrintedLoadsAgain holds that the effective file of every example makes the same probes, with
// the real kinds, and that it is then its own effective file.
func TestWhatIsPrintedLoadsAgain(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob(filepath.Join("..", "..", "examples", "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, name := range append(names, filepath.Join("testdata", "odd.yaml")) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			first := loadText(t, name, text)
			for _, origin := range []bool{false, true} {
				again := loadText(t, name, printed(t, first, origin))
				sameProbes(t, first, again)
				if a, b := printed(t, first, false), printed(t, again, false); !bytes.Equal(a, b) {
					t.Errorf("printed again it differs:\n%s\n%s", a, b)
				}
			}
		})
	}
}

func loadText(t *testing.T, name string, text []byte) *schema.Set {
	t.Helper()
	set, err := elsewhere().Parse(name, text, kinds.All(nil, ""))
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return set
}

func printed(t *testing.T, set *schema.Set, origin bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := schema.WriteYAML(&b, set.Effective(), origin); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sameProbes compares probes. None of them has a credential that stands in the file as it is.
func sameProbes(t *testing.T, a, b *schema.Set) {
	t.Helper()
	before, after := a.Effective(), b.Effective()
	if len(before) != len(after) || len(before) == 0 {
		t.Fatalf("%d probes became %d", len(before), len(after))
	}
	for i, e := range before {
		if e.Sum != after[i].Sum {
			t.Errorf("%s is not the same again", e.Name)
		}
		if p, q := e.Probe, after[i].Probe; p != nil && p.Digest != q.Digest {
			t.Errorf("%s has another digest", e.Name)
		}
	}
}
