package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMountedAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "my conf")
	file, other := filepath.Join(dir, "probes.yaml"), filepath.Join(dir, "other.yaml")
	put(t, file, "")
	put(t, other, "")
	escaped := strings.ReplaceAll(dir, " ", `\040`)
	mounts := "22 1 0:20 / / rw,relatime - overlay overlay rw\n"
	for _, point := range []string{escaped, escaped + "/probes.yaml"} {
		mounts += fmt.Sprintf("23 22 8:1 /srv %s rw,relatime - ext4 /dev/sda1 rw\n", point)
	}
	got := mountedAlone([]string{dir, file, other, filepath.Join(dir, "gone.yaml")}, mounts)
	if diff := cmp.Diff([]string{file}, got); diff != "" {
		t.Errorf("files mounted by themselves (-want +got):\n%s", diff)
	}
}
