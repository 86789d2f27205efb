package metrics

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write METRICS.md anew")

func TestReferenceIsFresh(t *testing.T) {
	if *update {
		if err := os.WriteFile("METRICS.md", []byte(Reference()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile("METRICS.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Reference(), string(page)); diff != "" {
		t.Errorf("METRICS.md is stale (go test ./probe/metrics -update mends it):\n%s", diff)
	}
}
