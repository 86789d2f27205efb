package main

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

func TestFilesAndNamesAreToldApart(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	put(t, "probes.d/a.yaml", "")
	put(t, "shop/README", "a folder that is no source")
	put(t, "conf", "a file without an ending")
	files, names := splitArgs([]string{"home", "team.yml", "gone/x", "probes.d", "shop", "conf", filepath.Join(dir, "shop")})
	if diff := cmp.Diff([]string{"team.yml", "gone/x", "probes.d", "conf", filepath.Join(dir, "shop")}, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"home", "shop"}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestTheUnfinishedAreNamed(t *testing.T) {
	t.Parallel()
	results := []*probe.Result{upResult()}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		r := canceledRun(1)
		r.Probe = aProbe(name, 1)
		results = append(results, r)
	}
	for n, want := range map[int]string{2: "a", 3: "a, b", 6: "a, b, c, d, e", 8: "a, b, c, d, e and 2 more"} {
		if got := unfinished(results[:n]); got != want {
			t.Errorf("of %d results: %q, want %q", n, got, want)
		}
	}
}
