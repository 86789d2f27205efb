package main

import (
	"runtime"
	"testing"
)

// TestPaceOfTheCollector: the room for garbage is about the same, whatever is live, but at the ends.
func TestPaceOfTheCollector(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		live uint64 // MiB
		want int
	}{{0, 400}, {5, 400}, {12, 400}, {48, 100}, {96, 50}, {120, 40}, {4000, 40}} {
		if got := percentFor(c.live << 20); got != c.want {
			t.Errorf("with %d MiB live the pace is %d %%, want %d", c.live, got, c.want)
		}
	}
	runtime.GC() // before the first one nothing is known
	if live := liveMemory(); live == 0 || live > 1<<40 {
		t.Errorf("%d bytes are live, want some", live)
	}
}
