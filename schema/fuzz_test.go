package schema

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzParse: no text makes Parse panic, every problem has a place and a text, and a text without
// problems makes probes, and prints as a file that makes the same.
func FuzzParse(f *testing.F) {
	for _, archive := range corpus(f) {
		a, err := txtar.ParseFile(archive)
		if err != nil {
			f.Fatal(err)
		}
		for _, data := range cases(a) {
			f.Add(data)
		}
	}
	beside := map[string]string{
		"inc.yaml":  "include: probes.yaml\nprofiles: {base: {interval: 5m, fake: {width: 3}}}\n",
		"sd.json":   `[{"targets": ["a:1", "b:1"], "labels": {"env": "x"}}]`,
		"sd/a.yaml": "- targets: [c:1]\n",
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		set, err := parseIn("probes.yaml", data, beside)
		if err == nil {
			sound(t, set)
			for _, e := range set.Effective() {
				betrays(t, data, shownAs(e))
			}
			if len(set.Effective()) > 0 {
				printsItself(t, set, beside)
			}
			return
		}
		var problems Problems
		if !errors.As(err, &problems) || len(problems) == 0 {
			t.Fatalf("the error is no Problems: %v", err)
		}
		placed(t, problems)
		betrays(t, data, problems.Error())
	})
}

// betrays: what was filled in is not shown.
func betrays(t *testing.T, data []byte, shown string) {
	if strings.Contains(shown, "hunter2") && !bytes.Contains(data, []byte("hunter2")) {
		t.Errorf("a secret is shown:\n%s", shown)
	}
}

// placed: every problem has a place, a text and a rule of the table.
func placed(t *testing.T, list []Problem) {
	known := map[string]bool{}
	for _, r := range Rules() {
		known[r.Name] = true
	}
	for _, p := range list {
		if p.Line < 1 || p.Column < 1 || p.Text == "" || p.File == "" || !known[p.Rule] {
			t.Errorf("a problem without a place, a text or a rule: %+v", p)
		}
	}
}

// sound: every probe can run.
func sound(t *testing.T, set *Set) {
	placed(t, set.Warnings)
	if err := agreeing(set); err != nil {
		t.Error(err)
	}
	for _, p := range set.Probes {
		if p.Name == "" || p.Kind == "" || p.Prober == nil || p.Interval < leastPeriod || p.Policy.Attempts < 1 || len(p.Digest) != digestSize {
			t.Errorf("a probe that cannot run: %+v", p)
		}
	}
}
