package schedule

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

func TestADayOfTwoProbes(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{}, func(w *world) {
		set := []*probe.Probe{w.probe("home", time.Minute, time.Second), w.probe("shop", time.Minute, 0)}
		w.Apply(set)
		w.until(12*time.Hour + 17*time.Second)
		want := Change{Added: 1, Changed: 1, Unchanged: 1}
		set = []*probe.Probe{set[0], w.version("shop", "2", time.Minute, 0), w.probe("late", time.Minute, 0)}
		if got := w.Apply(set); got != want {
			t.Errorf("Apply says %+v, want %+v", got, want)
		}
		w.until(24 * time.Hour)
		for _, name := range []string{"home", "shop"} {
			if diff := cmp.Diff(w.dues(name, time.Minute, 24*time.Hour), w.look().starts[name]); diff != "" {
				t.Errorf("%s, want - got +:\n%s", name, diff)
			}
			if n := len(w.look().starts[name]); n != 24*60 {
				t.Errorf("%s ran %d times, want %d", name, n, 24*60)
			}
		}
		if len(w.look().skipped) != 0 || slices.Max(w.look().lags) != 0 {
			t.Errorf("skipped %v and lag up to %v, want none", w.look().skipped, slices.Max(w.look().lags))
		}
	})
}

func TestARestartKeepsPhases(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var phases [2]time.Duration
		for i := range phases {
			w := newWorld(Options{})
			w.run()
			w.Apply([]*probe.Probe{w.probe("home", time.Hour, 0)})
			w.until(2 * time.Hour)
			w.stop()
			starts := w.look().starts["home"]
			phases[i] = time.Duration(w.began.Add(starts[len(starts)-1]).UnixNano() % int64(time.Hour))
			time.Sleep(7*time.Minute + 3*time.Second)
		}
		if phases[0] != phases[1] {
			t.Errorf("the phase was %v and is %v after a restart, want the same", phases[0], phases[1])
		}
	})
}

func TestADailyProbeRunsWithinAMinute(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	inWorld(t, Options{}, func(w *world) {
		w.Apply([]*probe.Probe{w.version("cert", "1", day, 0)})
		w.until(time.Millisecond)
		w.Apply([]*probe.Probe{w.version("cert", "2", day, 0)}) // mended before it ever ran
		w.until(time.Minute)
		if n := len(w.look().starts["cert"]); n != 1 {
			t.Fatalf("%d runs in the first minute, want 1", n)
		}
		w.until(10 * day)
		if diff := cmp.Diff(w.dues("cert", day, 10*day), w.look().starts["cert"][1:]); diff != "" {
			t.Errorf("runs after the first, want - got +:\n%s", diff)
		}
	})
}

func TestAStartIsARamp(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{}, func(w *world) {
		var set []*probe.Probe
		for i := range 1000 {
			set = append(set, w.probe(fmt.Sprintf("probe-%d", i), time.Second, 0))
		}
		w.Apply(set)
		w.until(time.Second)
		tenths := make([]int, 10)
		for name, starts := range w.look().starts {
			if len(starts) != 1 {
				t.Fatalf("%s started %d times in the first second, want once", name, len(starts))
			}
			tenths[int((starts[0]-1)*10/time.Second)]++
		}
		if slices.Min(tenths) < 70 || slices.Max(tenths) > 130 {
			t.Errorf("starts by tenth of a second are %v, want about 100 each", tenths)
		}
	})
}

func TestIdleProbesHaveNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(Options{})
		before := runtime.NumGoroutine()
		var set []*probe.Probe
		for i := range 10_000 {
			set = append(set, w.probe(fmt.Sprintf("probe-%d", i), time.Hour, 0))
		}
		w.Apply(set)
		w.run()
		w.until(2 * time.Hour)
		// Run, the goroutine that called it, which is the test's, and workers that wait.
		if grown := runtime.NumGoroutine() - before; grown > 2+mostIdle {
			t.Errorf("10,000 idle probes have %d goroutines, want at most %d", grown, 2+mostIdle)
		}
		if n := len(w.look().lags); n < 20_000 {
			t.Errorf("%d runs of 10,000 probes in two hours, want at least 20,000", n)
		}
		w.stop()
	})
}

func TestShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(Options{Concurrency: 1})
		w.run()
		w.Apply([]*probe.Probe{w.probe("goes", time.Second, time.Hour), w.probe("waits", time.Second, time.Hour)})
		w.until(1500 * time.Millisecond)
		if len(w.look().lags) != 1 {
			t.Fatalf("%d runs started in one slot, want 1", len(w.look().lags))
		}
		w.stop()
		want := w.look().events
		runner := want[len(want)-1][len("unknown "):]
		if diff := cmp.Diff([]string{"attempt " + runner, "unknown " + runner}, want[2:]); diff != "" {
			t.Errorf("events after both are declared, want - got +:\n%s", diff)
		}
		if diff := cmp.Diff([]string{"goes1", "waits1"}, w.look().closed); diff != "" {
			t.Errorf("closed probers, want - got +:\n%s", diff)
		}
		if got := w.Apply([]*probe.Probe{w.probe("late", time.Second, 0)}); got != (Change{}) {
			t.Errorf("Apply after the end says %+v, want nothing", got)
		}
		time.Sleep(time.Hour)
		if !slices.Contains(w.look().closed, "late1") || len(w.look().events) != len(want) {
			t.Errorf("after the end closed are %v and events %v, want late1 among the closed and nothing new",
				w.look().closed, w.look().events[len(want):])
		}
	})
}
