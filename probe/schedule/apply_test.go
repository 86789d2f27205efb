package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

func TestAProbeRemovedWhileItRuns(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{}, func(w *world) {
		w.Apply([]*probe.Probe{w.probe("gone", 10*time.Second, time.Hour)})
		w.until(10 * time.Second)
		if len(w.look().closed) != 0 {
			t.Fatalf("closed %v while its run goes", w.look().closed)
		}
		if got, want := w.Apply(nil), (Change{Removed: 1}); got != want {
			t.Errorf("Apply says %+v, want %+v", got, want)
		}
		w.until(time.Minute)
		if diff := cmp.Diff([]string{"declare gone1", "forget gone1"}, w.look().events); diff != "" {
			t.Errorf("events, want - got +:\n%s", diff)
		}
		if diff := cmp.Diff([]string{"gone1"}, w.look().closed); diff != "" {
			t.Errorf("closed probers, want - got +:\n%s", diff)
		}
		if n := len(w.look().starts["gone"]); n != 1 {
			t.Errorf("%d runs, want 1", n)
		}
	})
}

func TestAProbeChangedWhileItRuns(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{}, func(w *world) {
		w.Apply([]*probe.Probe{w.version("shop", "1", 10*time.Second, 15*time.Second)})
		began := w.dues("shop", 10*time.Second, time.Minute)[0]
		w.until(began)
		w.Apply([]*probe.Probe{w.version("shop", "2", 10*time.Second, 0)})
		w.Apply([]*probe.Probe{w.version("shop", "3", 10*time.Second, 0)})
		if diff := cmp.Diff([]string{"shop2"}, w.look().closed); diff != "" {
			t.Errorf("closed while the first run goes, want - got +:\n%s", diff)
		}
		w.until(began + 20*time.Second)
		want := []string{
			"declare shop1", "declare shop2", "declare shop3",
			"attempt shop1", "up shop1", "attempt shop3", "up shop3",
		}
		if diff := cmp.Diff(want, w.look().events); diff != "" {
			t.Errorf("events, want - got +:\n%s", diff)
		}
		if diff := cmp.Diff([]time.Duration{began, began + 20*time.Second}, w.look().starts["shop"]); diff != "" {
			t.Errorf("starts, want - got +:\n%s", diff)
		}
		if diff := cmp.Diff(map[string]int{"shop overlap": 1}, w.look().skipped); diff != "" {
			t.Errorf("skipped, want - got +:\n%s", diff)
		}
		if diff := cmp.Diff([]string{"shop1", "shop2"}, w.look().closed); diff != "" {
			t.Errorf("closed, want - got +:\n%s", diff)
		}
	})
}

func TestAnUnchangedProbeKeepsItsProber(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{}, func(w *world) {
		first, again := w.probe("home", time.Second, 0), w.probe("home", time.Second, 0)
		again.Prober.(*prober).digest = "again"
		w.Apply([]*probe.Probe{first})
		w.Apply([]*probe.Probe{first})
		if got, want := w.Apply([]*probe.Probe{again}), (Change{Unchanged: 1}); got != want {
			t.Errorf("Apply says %+v, want %+v", got, want)
		}
		if diff := cmp.Diff([]string{"again"}, w.look().closed); diff != "" {
			t.Errorf("closed, want - got +:\n%s", diff)
		}
		if diff := cmp.Diff([]string{"declare home1"}, w.look().events); diff != "" {
			t.Errorf("events, want - got +:\n%s", diff)
		}
	})
}

func TestAnIntervalChanged(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{}, func(w *world) {
		set := []*probe.Probe{w.version("shop", "1", time.Hour, 0)}
		for i := range 20 { // so that it is not the next one by chance
			set = append(set, w.probe(fmt.Sprintf("other-%d", i), time.Hour, 0))
		}
		w.Apply(set)
		w.until(time.Minute)
		set[0] = w.version("shop", "2", 10*time.Second, 0)
		w.Apply(set)
		w.until(2 * time.Minute)
		dues := w.dues("shop", 10*time.Second, 2*time.Minute)
		dues = dues[len(dues)-6:]
		if diff := cmp.Diff(dues, w.look().starts["shop"][1:]); diff != "" {
			t.Errorf("starts after the change, want - got +:\n%s", diff)
		}
	})
}

// TestSinksSeeAnOrderlyLife swaps sets at random times, and then checks of every probe that what its
// sink was told is a life: declared, runs one after the other, forgotten, and nothing after that.
func TestSinksSeeAnOrderlyLife(t *testing.T) {
	t.Parallel()
	inWorld(t, Options{Concurrency: 7}, func(w *world) {
		random := rand.New(rand.NewPCG(1, 2))
		made := map[string]bool{}
		for step := range 500 {
			var set []*probe.Probe
			for i := range 20 {
				name, digest := fmt.Sprintf("p%d.", i), fmt.Sprint(step/20+random.IntN(2))
				if random.IntN(4) > 0 {
					set = append(set, w.version(name, digest, time.Second, time.Duration(random.IntN(1500))*time.Millisecond))
					made[name+digest] = true
				}
			}
			w.Apply(set)
			time.Sleep(time.Duration(random.IntN(700)) * time.Millisecond)
		}
		w.Apply(nil)
		w.until(time.Hour)
		lives := map[string]*life{}
		for _, e := range w.look().events {
			what, whom, _ := strings.Cut(e, " ")
			name, _, _ := strings.Cut(whom, ".")
			if lives[name] == nil {
				lives[name] = &life{}
			}
			if !lives[name].step(what) {
				t.Fatalf("%q of %s comes out of turn", e, name)
			}
		}
		for name, l := range lives {
			if l.alive || l.runs == 0 {
				t.Errorf("%s is alive: %v, after %d runs, want it to have run and to be forgotten", name, l.alive, l.runs)
			}
		}
		if n := len(slices.Compact(w.look().closed)); n != len(made) {
			t.Errorf("%d of %d definitions were closed, want all", n, len(made))
		}
	})
}

// life is what a sink may be told of one probe, in order.
type life struct {
	alive, attempted bool
	runs             int
}

func (l *life) step(what string) bool {
	switch what {
	case "declare":
		l.alive = true
		return true
	case "forget":
		was := l.alive
		*l = life{runs: l.runs}
		return was
	case "attempt":
		was := l.attempted
		l.attempted = true
		return l.alive && !was
	}
	was := l.attempted
	l.attempted = false
	l.runs++
	return l.alive && was
}
