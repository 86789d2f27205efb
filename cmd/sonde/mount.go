package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mountInfo is where Linux lists what is mounted; elsewhere it is not there, and nothing is said.
const mountInfo = "/proc/self/mountinfo"

// mountedAlone are the files that are mounted by themselves, as docker -v probes.yaml:/probes.yaml and
// subPath in Kubernetes do. Such a mount holds on to the file that was there at the start: when another
// is renamed over it outside, as editors and Kubernetes do, that never gets here.
func mountedAlone(paths []string, mounts string) []string {
	var points []string
	for line := range strings.Lines(mounts) {
		if fields := strings.Fields(line); len(fields) > 4 {
			points = append(points, unescapeMount.Replace(fields[4]))
		}
	}
	var alone []string
	for _, p := range paths {
		abs, err := filepath.Abs(p)
		info, statErr := os.Stat(p)
		if err == nil && statErr == nil && !info.IsDir() && slices.Contains(points, abs) {
			alone = append(alone, p)
		}
	}
	return alone
}

// unescapeMount undoes what the kernel does to names that would tear a line apart.
var unescapeMount = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// warnOfMounts says which of the watched files cannot be seen to change.
func (w *watcher) warnOfMounts() {
	mounts, err := os.ReadFile(mountInfo)
	if err != nil {
		return
	}
	for _, p := range mountedAlone(w.paths, string(mounts)) {
		w.log.Warn("the file is mounted by itself, so that one which replaces it outside is not seen here; mount its folder", "file", p)
	}
}
