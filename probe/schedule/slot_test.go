package schedule

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
)

// thousand are a thousand probes of a second.
func (w *world) thousand() []*probe.Probe {
	var set []*probe.Probe
	for i := range 1000 {
		set = append(set, w.probe(fmt.Sprintf("probe-%d", i), time.Second, 0))
	}
	return set
}

// gather turns on what the other tests do without.
func (w *world) gather() {
	w.Scheduler.mu.Lock()
	defer w.Scheduler.mu.Unlock()
	w.slot = slotLength
}

// TestStartsAreGathered: the loop wakes on the grid only, no run starts before it is due or more than a
// slot after it, and the lag that is told is the whole of that.
func TestStartsAreGathered(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{}, func(w *world) {
		w.gather()
		set := w.thousand()
		w.Apply(set)
		w.until(10 * time.Second)
		seen := w.look()
		moments, lags := map[time.Duration]int{}, []time.Duration{}
		for _, p := range set {
			dues := w.dues(p.Name, time.Second, 10*time.Second)
			for i, start := range seen.starts[p.Name] {
				moments[start]++
				lags = append(lags, start-dues[i])
				if at := w.began.Add(start).UnixNano(); at%int64(slotLength/2) != 0 {
					t.Fatalf("%s started at %d, want a multiple of %v", p.Name, at, slotLength/2)
				}
			}
		}
		slices.Sort(lags)
		slices.Sort(seen.lags)
		if lags[0] < 0 || lags[len(lags)-1] >= slotLength || !slices.Equal(lags, seen.lags) {
			t.Errorf("starts are %v to %v after their due times, and lags told are %v to %v; want the same, below %v",
				lags[0], lags[len(lags)-1], seen.lags[0], seen.lags[len(seen.lags)-1], slotLength)
		}
		if len(lags) < 9990 || len(moments) > 2500 {
			t.Errorf("%d runs started at %d moments, want 10,000 at 2,500 at most", len(lags), len(moments))
		}
	})
}

// TestMuchThatIsDueHasShorterSlots: with five runs a millisecond, those that start together are about ten.
func TestMuchThatIsDueHasShorterSlots(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{}, func(w *world) {
		w.gather()
		var set []*probe.Probe
		for i := range 5000 {
			set = append(set, w.probe(fmt.Sprintf("probe-%d", i), time.Second, 0))
		}
		w.Apply(set)
		w.until(time.Second)
		seen, moments := w.look(), map[time.Duration]bool{}
		for _, starts := range seen.starts {
			moments[starts[0]] = true
		}
		if n := len(moments); n < 400 || n > 600 {
			t.Errorf("5,000 runs of a second start at %d moments, want about 500", n)
		}
		slices.Sort(seen.lags)
		if p80 := seen.lags[len(seen.lags)*4/5]; p80 > slotLength/2 {
			t.Errorf("four in five start within %v, want within %v", p80, slotLength/2)
		}
	})
}

// TestASlotIsNoBurst: neither at the start nor after a reload does a slot hold more than the hash of the
// names puts into it.
func TestASlotIsNoBurst(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{}, func(w *world) {
		w.gather()
		w.Apply(w.thousand())
		w.until(1500 * time.Millisecond)
		set := w.thousand()
		for _, p := range set {
			p.Digest = "changed"
		}
		if c := w.Apply(set); c.Changed != len(set) {
			t.Fatalf("Apply says %+v, want all changed", c)
		}
		w.until(4 * time.Second)
		moments := map[time.Duration]int{}
		for _, starts := range w.look().starts {
			if len(starts) < 3 || len(starts) > 5 {
				t.Fatalf("%d starts in four seconds, want about four", len(starts))
			}
			for _, start := range starts {
				moments[start]++
			}
		}
		for start, n := range moments {
			if n > 18 {
				t.Errorf("%d runs start at %v, want about four", n, start)
			}
		}
	})
}

// TestASlowStartIsNoBurst: what has become due between Apply and Run starts at its next due time.
func TestASlowStartIsNoBurst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(Options{})
		w.Apply(w.thousand())
		time.Sleep(400 * time.Millisecond)
		w.run()
		synctest.Wait()
		if n := len(w.look().lags); n > 1 {
			t.Errorf("%d runs start at once", n)
		}
		w.until(1400 * time.Millisecond)
		if seen := w.look(); len(seen.lags) != 1000 || slices.Max(seen.lags) != 0 || len(seen.skipped) != 0 {
			t.Errorf("%d runs in the first second, late by up to %v, and skipped %v; want all in time", len(seen.lags), slices.Max(seen.lags), seen.skipped)
		}
		w.stop()
	})
}

// TestACanceledRunLeavesItsWorker: the worker of a run that was canceled makes the next ones, and they
// are not canceled.
func TestACanceledRunLeavesItsWorker(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{Concurrency: 1}, func(w *world) {
		gone, stays := w.probe("gone", 10*time.Second, time.Hour), w.probe("stays", 10*time.Second, time.Second)
		w.Apply([]*probe.Probe{gone})
		w.until(10 * time.Second)
		w.Apply([]*probe.Probe{stays})
		w.until(time.Minute)
		for _, event := range w.look().events {
			if event == "unknown stays1" || event == "unknown gone1" {
				t.Errorf("%s: canceled though nobody asked for it", event)
			}
		}
		if n := len(w.look().starts["stays"]); n < 4 {
			t.Errorf("%d runs after one was canceled, want 4 or more", n)
		}
		w.Scheduler.mu.Lock()
		defer w.Scheduler.mu.Unlock()
		if n := len(w.idle); n != 1 {
			t.Errorf("%d idle workers, want the one that made all runs", n)
		}
	})
}
