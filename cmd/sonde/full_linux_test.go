package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What nobody has got is no success, and no wrong call.
func TestWhatIsPrintedOnAFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	file := filepath.Join(t.TempDir(), "probes.yaml")
	put(t, file, "probes: [{name: home, http: {url: \"http://127.0.0.1:1/\"}}]\n")
	for _, args := range [][]string{{"--version"}, {"version"}, {"--help"}, {"run", "--help"}, {"schema"}, {"check", file}} {
		var said strings.Builder
		status := dispatch(t.Context(), args, full, &said)
		if want := "sonde: write /dev/full: no space left on device\n"; status != statusCannot || said.String() != want {
			t.Errorf("%v ends with %d and says %q, want %d and %q", args, status, said.String(), statusCannot, want)
		}
	}
}
