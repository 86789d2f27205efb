package schedule

import (
	"slices"
	"testing"
	"time"

	"sonde/probe"
)

// TestAMovedProbeKeepsItsPhase: a probe that goes to another process, at another time and among other
// neighbours, is due there when it would have been due here. So two processes that both run it agree, too.
func TestAMovedProbeKeepsItsPhase(t *testing.T) {
	t.Parallel()
	const interval = 30 * time.Second
	inWorld(t, Options{}, func(here *world) {
		here.Apply(here.ofThirty("moved", "one", "two"))
		here.until(10*time.Minute + 7*time.Second)
		here.Apply(here.ofThirty("one", "two"))
		there := newWorld(Options{})
		there.run()
		defer there.stop()
		there.Apply(there.ofThirty("three", "moved"))
		there.until(5 * time.Minute)
		before, after := here.look().starts["moved"], there.look().starts["moved"]
		if len(before) < 20 || len(after) < 10 {
			t.Fatalf("%d runs here and %d there, want at least 20 and 10", len(before), len(after))
		}
		gap := there.began.Add(after[0]).Sub(here.began.Add(before[len(before)-1]))
		if gap%interval != 0 || gap <= 0 {
			t.Errorf("the first run there is %s after the last here, want a multiple of %s", gap, interval)
		}
		if !slices.Equal(gaps(after), slices.Repeat([]time.Duration{interval}, len(after)-1)) {
			t.Errorf("the gaps there are %v, want %s each", gaps(after), interval)
		}
	})
}

// ofThirty is probes of 30 seconds.
func (w *world) ofThirty(names ...string) (list []*probe.Probe) {
	for _, name := range names {
		list = append(list, w.probe(name, 30*time.Second, 0))
	}
	return list
}

func gaps(starts []time.Duration) (list []time.Duration) {
	for i := 1; i < len(starts); i++ {
		list = append(list, starts[i]-starts[i-1])
	}
	return list
}
