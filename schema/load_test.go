package schema

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// one is a file with one probe.
func one(name string) string { return "probes:\n- {name: " + name + ", plain: {address: a}}\n" }

// folder writes files, by their paths below a new folder, and returns it.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func names(s *Set) []string {
	var list []string
	for _, p := range s.Probes {
		list = append(list, p.Name)
	}
	return list
}

func TestLoadFolder(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"b.yaml": one("b"), "a.yml": one("a"), "c.txt": "not read", ".hidden.yaml": "not: read", "b.yaml~": "not: read",
		"sub/d.yaml": one("d"), "folder.yaml/x": "", "..2026/e.yaml": one("e"),
	})
	if err := os.Symlink("..2026/e.yaml", filepath.Join(dir, "e.yaml")); err != nil {
		t.Fatal(err)
	}
	set, err := System().Load([]string{dir, filepath.Join(dir, "sub", "d.yaml"), dir}, fakeKinds())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "b", "e", "d"}, names(set)); diff != "" {
		t.Errorf("probes, -want +got:\n%s", diff)
	}
	want := []string{"a.yml", "b.yaml", "e.yaml", "sub/d.yaml"}
	for i := range want {
		want[i] = filepath.Join(dir, filepath.FromSlash(want[i]))
	}
	if diff := cmp.Diff(want, set.Files); diff != "" {
		t.Errorf("files, -want +got:\n%s", diff)
	}
	if got, want := set.Probes[0].Source, want[0]+":2"; got != want {
		t.Errorf("source is %q, want %q", got, want)
	}
}

func TestLoadSaysWhatItCannotRead(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"none/x.txt": ""})
	missing := filepath.Join(dir, "missing.yaml")
	if _, err := System().Load([]string{missing}, fakeKinds()); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := System().Load([]string{filepath.Join(dir, "none")}, fakeKinds()); err == nil || !strings.Contains(err.Error(), "holds no file named *.yaml") {
		t.Errorf("a folder without files: %v", err)
	}
	if _, err := System().Load(nil, fakeKinds()); err == nil {
		t.Error("no path at all: no error")
	}
}

func TestProblemsOfAllFilesComeAtOnce(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"a.yaml": one("same") + "x: 1\n", "b.yaml": one("same"), "c.yaml": "\tx"})
	_, err := System().Load([]string{dir}, fakeKinds())
	want := strings.ReplaceAll(`DIR/a.yaml:3:1: x is not a known key; want one of include, profiles, metrics, defaults, probes
DIR/b.yaml:2:10: probes[0].name is "same", which the probe at DIR/a.yaml:2:10 is called already; want a name of its own
DIR/c.yaml:1:1: a tab indents this line, want spaces: YAML allows no tabs there`, "DIR", dir)
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestDefaultsAreOfTheirFile: the defaults of one file do not reach another.
func TestDefaultsAreOfTheirFile(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"a.yaml": "defaults: {interval: 5m}\n" + one("a"), "b.yaml": one("b")})
	set, err := System().Load([]string{dir}, fakeKinds())
	if err != nil {
		t.Fatal(err)
	}
	if a, b := set.Probes[0].Interval.String(), set.Probes[1].Interval.String(); a != "5m0s" || b != "1m0s" {
		t.Errorf("intervals are %s and %s, want 5m0s and 1m0s", a, b)
	}
}

func TestHashIsOfTheContents(t *testing.T) {
	t.Parallel()
	hash := func(text string) string {
		set, err := Parse("x.yaml", []byte(text), fakeKinds())
		if err != nil {
			t.Fatal(err)
		}
		return set.Hash
	}
	if a, b := hash(one("a")), hash(one("a")); a != b || len(a) != 64 {
		t.Errorf("hashes of one text are %q and %q", a, b)
	}
	if a, b := hash(one("a")), hash(one("a")+"# comment\n"); a == b {
		t.Error("hashes of two texts are equal")
	}
}
