package report

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"sonde/probe/kinds"
	"sonde/schema"
)

var update = flag.Bool("update", false, "write what is found into the testdata")

// TestGolden checks the .yaml files of each archive and compares every format with what stands beside
// them. What is said of rules is left out: it has tests of its own.
func TestGolden(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := withFormats(t, a)
			if *update {
				if err := os.WriteFile(name, txtar.Format(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(got))); diff != "" {
				t.Errorf("-want +got, go test ./schema/report -update writes it:\n%s", diff)
			}
		})
	}
}

// withFormats is the archive's definition files and what every format says of them.
func withFormats(t *testing.T, a *txtar.Archive) *txtar.Archive {
	t.Helper()
	all := &txtar.Archive{Comment: a.Comment}
	texts := map[string]string{}
	for _, f := range a.Files {
		if strings.HasSuffix(f.Name, ".yaml") {
			all.Files = append(all.Files, f)
			texts[f.Name] = string(f.Data)
		}
	}
	r := checked(t, texts)
	for _, format := range Formats() {
		all.Files = append(all.Files, txtar.File{Name: string(format), Data: []byte(withoutRules(written(t, format, r)))})
	}
	return all
}

// written is the report in a format.
func written(t *testing.T, f Format, r Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// aboutRules is the list of rules in JSON and in SARIF.
var aboutRules = regexp.MustCompile(`(?s)( *)"rules": \[\n.*?\n *\](,?)\n( *[}"])`)

func withoutRules(text string) string {
	return aboutRules.ReplaceAllString(text, "$1\"rules\": […]$2\n$3")
}

// checked is the report of files that are in memory, each read by itself, sorted by name.
func checked(t *testing.T, texts map[string]string) Report {
	t.Helper()
	r := Report{Name: "probes", Version: "1.2.3", Source: func(name string) ([]byte, error) {
		if text, ok := texts[name]; ok {
			return []byte(text), nil
		}
		return nil, fmt.Errorf("%s is not in the archive", name)
	}}
	for name := range texts {
		r.Files = append(r.Files, name)
	}
	slices.Sort(r.Files)
	for _, name := range r.Files {
		set, err := schema.Parse(name, []byte(texts[name]), kinds.All(nil, "test"))
		var problems schema.Problems
		switch {
		case err == nil:
			r.Probes += len(set.Probes)
			r.Warnings = append(r.Warnings, set.Warnings...)
		case errors.As(err, &problems):
			r.Problems = append(r.Problems, problems...)
		default:
			t.Fatal(err)
		}
	}
	if len(r.Problems) > 0 {
		r.Probes = 0
	}
	return r
}
