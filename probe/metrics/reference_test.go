package metrics_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/cmd/gendocs/pages"
	"sonde/probe/metrics"
)

func TestReferenceIsFresh(t *testing.T) {
	made, err := pages.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	if *metrics.Update {
		if err := os.WriteFile("METRICS.md", made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile("METRICS.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(made), string(page)); diff != "" {
		t.Errorf("METRICS.md is stale (go test ./probe/metrics -update mends it):\n%s", diff)
	}
}

// TestReferenceHasEveryFamily holds the page, which is made subject by subject, to the whole table.
func TestReferenceHasEveryFamily(t *testing.T) {
	page, err := os.ReadFile("METRICS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range metrics.All() {
		if n := strings.Count(string(page), "\n| `"+f.Name+"` |"); n != 1 {
			t.Errorf("METRICS.md has %d rows of %s, want 1", n, f.Name)
		}
	}
}
