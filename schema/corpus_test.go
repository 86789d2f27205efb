package schema

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what is found into the testdata")

// TestCorpus loads every file of testdata/*.txtar and compares what is said of it with what stands
// beside it: NAME.yaml and NAME.says. Of a file without a problem "loads" is said, and its warnings. The
// files NAME/* lie in the folder of NAME.yaml.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, archive := range corpus(t) {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(archive)
			if err != nil {
				t.Fatal(err)
			}
			said := txtar.Archive{Comment: a.Comment}
			for name, data := range cases(a) {
				said.Files = append(said.Files, txtar.File{Name: name + ".yaml", Data: data})
				said.Files = append(said.Files, beside(a, name)...)
				said.Files = append(said.Files, txtar.File{Name: name + ".says", Data: []byte(says(data, filesOf(a, name)))})
			}
			if *update {
				if err := os.WriteFile(archive, txtar.Format(&said), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(&said))); diff != "" {
				t.Errorf("-want +got, go test ./schema -update writes it:\n%s", diff)
			}
		})
	}
}

func corpus(t testing.TB) []string {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	return archives
}

// cases are the files of an archive that are loaded, in order.
func cases(a *txtar.Archive) func(yield func(name string, data []byte) bool) {
	return func(yield func(string, []byte) bool) {
		for _, f := range a.Files {
			if name, ok := strings.CutSuffix(f.Name, ".yaml"); ok && !strings.Contains(name, "/") && !yield(name, f.Data) {
				return
			}
		}
	}
}

// beside are the files NAME/* of an archive.
func beside(a *txtar.Archive, name string) (files []txtar.File) {
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, name+"/") {
			files = append(files, f)
		}
	}
	return files
}

// says is what is said of a file that lies beside others.
func says(data []byte, files map[string]string) string {
	set, err := parseIn("probes.yaml", data, files)
	if err != nil {
		var problems Problems
		if !errors.As(err, &problems) {
			return "not Problems: " + err.Error() + "\n"
		}
		return withRules(problems)
	}
	if err := agreeing(set); err != nil {
		return err.Error() + "\n"
	}
	return "loads\n" + withRules(set.Warnings)
}

func withRules(list []Problem) string {
	var b strings.Builder
	for _, p := range list {
		b.WriteString(p.String() + " [" + p.Rule + "]\n")
	}
	return b.String()
}

// agreeing sees that a set's views agree with its probes.
func agreeing(set *Set) error {
	n := 0
	for _, e := range set.Effective() {
		if e.Probe != nil && (e.Probe != set.Probes[n] || e.Name != e.Probe.Name) {
			return fmt.Errorf("the view of %s is that of another probe than %s", e.Name, set.Probes[n].Name)
		}
		if e.Probe != nil {
			n++
		}
	}
	return nil
}
