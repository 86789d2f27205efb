package schema

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// files makes a folder with the files, and returns the folder.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestCheckKeepsTheWarningsBesideProblems(t *testing.T) {
	t.Parallel()
	dir := files(t, map[string]string{
		"a.yaml": "probes: [{name: a, timeout: {total: 2s, connect: 5s}, plain: {address: a}}]",
		"b.yaml": "probes: [{name: b, plain: {adress: a}}]",
	})
	got, err := System().Check([]string{dir}, fakeKinds())
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Problems) != 1 || got.Problems[0].Rule != RuleUnknownKey {
		t.Errorf("problems %v, want one of rule %s", got.Problems, RuleUnknownKey)
	}
	if len(got.Warnings) != 1 || got.Warnings[0].Rule != RuleNeverFires {
		t.Errorf("warnings %v, want one of rule %s", got.Warnings, RuleNeverFires)
	}
	if want := []string{filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.yaml")}; !cmp.Equal(want, got.Files) || got.Set != nil {
		t.Errorf("files %v and set %v, want %v and none", got.Files, got.Set, want)
	}
}

func TestCheckSaysWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	if _, err := System().Check([]string{filepath.Join(t.TempDir(), "nowhere.yaml")}, fakeKinds()); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestWarningsHideNoProblem(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("probes:\n")
	for i := range maxProblems + 2 {
		fmt.Fprintf(&b, "  - {name: p%d, timeout: {total: 2s, connect: 5s, sock_connect: 1s}, plain: {address: a%d}}\n", i, i)
	}
	b.WriteString("  - {name: p0, plain: {address: a}}\n")
	l := newLoader(World{}, fakeKinds())
	l.file(&document{name: "probes.yaml"}, []byte(b.String()))
	c := l.checked()
	if len(c.Problems) != 1 || c.Problems[0].Rule != RuleName {
		t.Errorf("problems %v, want one of rule %s", c.Problems, RuleName)
	}
	if n := len(c.Warnings); n != maxProblems+1 || c.Warnings[n-1].Text != "there are 2 more warnings, not shown; mend these first" {
		t.Errorf("%d warnings, the last %v, want %d and how many more there are", n, c.Warnings[n-1], maxProblems+1)
	}
}
