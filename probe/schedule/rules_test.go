package schedule

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

func TestRunsOfAProbeNeverOverlap(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{}, func(w *world) {
		w.Apply([]*probe.Probe{w.probe("slow", 10*time.Second, 25*time.Second)})
		w.until(90 * time.Second)
		dues := w.dues("slow", 10*time.Second, 90*time.Second)
		want := []time.Duration{dues[0], dues[3], dues[6]}
		if diff := cmp.Diff(want, w.look().starts["slow"]); diff != "" {
			t.Errorf("starts, want - got +:\n%s", diff)
		}
		if diff := cmp.Diff(map[string]int{"slow overlap": 6}, w.look().skipped); diff != "" {
			t.Errorf("skipped, want - got +:\n%s", diff)
		}
	})
}

func TestARunThatFindsNoSlotIsSkippedAtItsNextDueTime(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{Concurrency: 1}, func(w *world) {
		slow, fast := w.probe("slow", time.Hour, 35*time.Second), w.probe("fast", 10*time.Second, 0)
		w.Apply([]*probe.Probe{slow})
		began := probe.FirstDue("slow", time.Hour, w.began).Sub(w.began)
		w.until(began)
		w.Apply([]*probe.Probe{slow, fast})
		free := began + 35*time.Second
		w.until(free)
		dues := w.dues("fast", 10*time.Second, free)
		for dues[0] <= began {
			dues = dues[1:]
		}
		last := dues[len(dues)-1]
		if diff := cmp.Diff(map[string]int{"fast overload": len(dues) - 1}, w.look().skipped); diff != "" {
			t.Errorf("skipped, want - got +:\n%s", diff)
		}
		if diff := cmp.Diff([]time.Duration{free}, w.look().starts["fast"]); diff != "" {
			t.Errorf("starts, want - got +:\n%s", diff)
		}
		if diff := cmp.Diff([]time.Duration{0, free - last}, w.look().lags); diff != "" {
			t.Errorf("lags, want - got +:\n%s", diff)
		}
	})
}

// TestSlotsAreSharedFairly puts three times the work into one slot that it can do. A first-come queue
// that sent a skipped run to its end would never serve the probes of the short interval.
func TestSlotsAreSharedFairly(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{Concurrency: 1}, func(w *world) {
		var set []*probe.Probe
		for i := range 10 {
			interval := 10 * time.Second
			if i < 5 {
				interval = time.Second
			}
			set = append(set, w.probe(fmt.Sprintf("probe-%d", i), interval, 2*time.Second))
		}
		w.Apply(set)
		w.until(10 * time.Minute)
		for name, starts := range w.look().starts {
			// Ten probes take turns in a slot that makes 300 runs.
			if n := len(starts); n < 28 || n > 32 {
				t.Errorf("%s ran %d times, want about 30", name, n)
			}
		}
		if len(w.look().starts) != 10 {
			t.Errorf("%d probes ran, want 10", len(w.look().starts))
		}
	})
}

func TestAForwardStepBecomesOneRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(Options{})
		w.run()
		w.Apply([]*probe.Probe{w.probe("minute", time.Minute, 0), w.probe("day", 24*time.Hour, 0)})
		w.until(10 * time.Minute)
		runs := len(w.look().starts["minute"])
		w.step(48 * time.Hour) // and a while in which no due time lies, to notice
		w.until(12 * time.Minute)
		if got := len(w.look().starts["minute"]) - runs; got != 2 {
			t.Errorf("the minute's probe ran %d times in the two minutes after the step, want 2", got)
		}
		if n := len(w.look().starts["day"]); n < 2 || n > 3 {
			t.Errorf("the day's probe ran %d times, want its first run, one for the two days, and a due one if it was", n)
		}
		if n := w.look().skipped["minute clock"]; n < 48*60-1 || n > 48*60 {
			t.Errorf("skipped %d due times of the minute's probe, want two days of them", n)
		}
		if n := w.look().skipped["day clock"]; n != 1 {
			t.Errorf("skipped %d due times of the day's probe, want 1 of 2", n)
		}
		w.stop()
	})
}

func TestABackwardStepStallsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(Options{})
		w.run()
		w.Apply([]*probe.Probe{w.probe("minute", time.Minute, 0), w.probe("hour", time.Hour, 0)})
		w.until(10 * time.Minute)
		runs := len(w.look().starts["minute"])
		w.step(-36*time.Hour - 30*time.Second)
		w.until(70*time.Minute + longestSleep)
		if got := len(w.look().starts["minute"]) - runs; got < 59 || got > 61 {
			t.Errorf("the minute's probe ran %d times in the hour after the step, want 60", got)
		}
		if n := len(w.look().starts["hour"]); n < 2 {
			t.Errorf("the hour's probe ran %d times, want at least 2", n)
		}
		if len(w.look().skipped) != 0 {
			t.Errorf("skipped %v, want none", w.look().skipped)
		}
		w.stop()
	})
}

// TestAStallIsNotFollowedByABurst lets 29 seconds pass that the process does not see, as if it had been
// stopped: the runs that became due meanwhile spread over as long again.
func TestAStallIsNotFollowedByABurst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(Options{})
		var set []*probe.Probe
		for i := range 1000 {
			set = append(set, w.probe(fmt.Sprintf("probe-%d", i), time.Minute, 0))
		}
		w.Apply(set)
		w.run()
		w.until(time.Millisecond)
		w.step(29 * time.Second)
		w.until(31 * time.Second)
		bySecond := map[int]int{}
		for name, starts := range w.look().starts {
			if len(starts) != 1 {
				t.Errorf("%s ran %d times in a minute, want once", name, len(starts))
			}
			bySecond[int(starts[0]/time.Second)]++
		}
		for second, n := range bySecond {
			// 1000 runs of a minute in 31 s are 32 a second.
			if n > 60 {
				t.Errorf("%d runs start in second %d, want about 32", n, second)
			}
		}
		if len(w.look().starts) != 1000 || len(w.look().skipped) != 0 {
			t.Errorf("%d probes ran and %v were skipped, want 1000 and none", len(w.look().starts), w.look().skipped)
		}
		w.stop()
	})
}

// TestARunIsPutOffOnce looks at a loop that is late at every look: a run that was put off after one
// stall starts after the next, or a starved process would never probe.
func TestARunIsPutOffOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(Options{})
		w.Apply([]*probe.Probe{w.probe("home", time.Hour, 0)})
		e := w.set["home"]
		due := e.due
		w.come(e, due.add(time.Minute), time.Minute)
		if e.waiting || e.due != due || e.at <= due.add(time.Minute) || e.at > due.add(2*time.Minute) {
			t.Errorf("after a stall of 1m the run of %v is put off to %v later, waiting %v", due.time(), e.at.sub(due), e.waiting)
		}
		w.come(e, due.add(3*time.Minute), time.Minute)
		if !e.waiting || e.waitsFor != due || e.at != e.due {
			t.Errorf("after a second stall it waits: %v, for %v, want it due for %v", e.waiting, e.waitsFor.time(), due.time())
		}
	})
}
