package plan_test

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/plan"
	"sonde/probe/retry"
)

// TestRequests says how many requests a probe makes a minute. Where a probe is at its worst with all
// its attempts, an hour of runs in virtual time has to come to the same number.
func TestRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		probe       probe.Probe
		bare        bool
		well, worst float64
		perRun      int
	}{
		{"built-in", builtin(), false, 1, 5, 5},
		{"keeps no connection", builtin(), true, 1, 4, 4},
		{"no transparent ones", with(func(p *probe.Probe) { p.Policy.Transparent = 0 }), false, 1, 4, 4},
		{"one attempt", with(func(p *probe.Probe) { p.Policy.Attempts = 1 }), true, 1, 1, 1},
		{"twice a minute", with(func(p *probe.Probe) { p.Interval = 30 * s }), true, 2, 8, 4},
		{"once a day", with(func(p *probe.Probe) { p.Interval = 24 * time.Hour }), true, 1. / 1440, 4. / 1440, 4},
		{"the deadline leaves room for two", with(func(p *probe.Probe) { p.Policy.Deadline = s }), true, 1, 2, 2},
		{"none fits at the very deadline", with(func(p *probe.Probe) { p.Policy.Deadline = 500 * time.Millisecond }), true, 1, 1, 1},
		{"waits go on beyond the next due time", with(func(p *probe.Probe) {
			p.Interval, p.Policy.Deadline = time.Second, 0
		}), true, 60, 120, 4}, // two in 0.5s are more than three in 1.5s, or four in 3.5s
		{"a wait of full jitter may be none", with(func(p *probe.Probe) {
			p.Interval, p.Policy.Deadline, p.Policy.Backoff.Kind = s, 0, retry.Full
		}), true, 60, 240, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := planOf(c.probe, proberOf(&actor{}, c.bare))
			if diff := cmp.Diff(plan.Requests{Well: c.well, Worst: c.worst}, got.Requests); diff != "" || got.Rate.PerRun != c.perRun {
				t.Errorf("%d requests a run, want %d; a minute, want - got +:\n%s", got.Rate.PerRun, c.perRun, diff)
			}
			if resends := got.Rate.Resends > 0; resends == (c.bare || c.probe.Policy.Transparent == 0) {
				t.Errorf("%d resends a run, want them where a connection is kept and retry.transparent is not 0", got.Rate.Resends)
			}
			synctest.Test(t, func(t *testing.T) {
				if n := hour(t, c.probe, c.bare, got.Rate.PerRun); c.probe.Interval < time.Hour && n > got.Requests.Worst*1.0001 {
					t.Errorf("an hour of failing at once comes to %v requests a minute, over the worst %v", n, got.Requests.Worst)
				}
			})
		})
	}
}

// hour runs a probe whose attempts fail at once whenever it is due within an hour, and returns its
// requests a minute. Each run must make as many as were reckoned.
func hour(t *testing.T, p probe.Probe, bare bool, perRun int) float64 {
	began, calls := time.Now(), 0
	for time.Since(began) < time.Hour {
		a := &actor{takes: always(0), stale: !bare}
		due := time.Now()
		runs(t.Context(), p, proberOf(a, bare), 0)
		calls += a.calls
		if a.calls != perRun {
			t.Fatalf("a run makes %d requests, want %d", a.calls, perRun)
		}
		intervals := (time.Since(due) + p.Interval - 1) / p.Interval
		time.Sleep(time.Until(due.Add(max(1, intervals) * p.Interval)))
	}
	return float64(calls) / time.Since(began).Minutes()
}

// TestBudgets holds a host to its tokens, over all its probes, and shows the most asked host first.
func TestBudgets(t *testing.T) {
	t.Parallel()
	budget := retry.Budget{Ratio: 0.2, FloorPerSecond: 0.05, Burst: 10}
	of := func(name, host string, interval time.Duration, b retry.Budget) *probe.Probe {
		p := builtin()
		p.Name, p.Host, p.Interval, p.Policy.Budget, p.Prober = name, host, interval, b, plain{&actor{}}
		return &p
	}
	got := plan.Of([]*probe.Probe{
		of("one", "a:1", time.Minute, budget),
		of("two", "a:1", 10*s, budget),
		of("slow", "c:1", time.Minute, retry.Budget{FloorPerSecond: 1, Burst: 1}),
		of("free", "b:1", 10*s, retry.Budget{}),
		of("also free", "0:1", 10*s, retry.Budget{}),
	}, func(*probe.Probe) plan.Series { return plan.Series{Steady: 70, EachReason: 3} })
	var told []string
	for _, h := range got.Hosts {
		told = append(told, fmt.Sprintf("%s %d %.4g %.4g %v", h.Name, h.Probes, h.Requests.Well, h.Requests.Worst, h.Bound))
	}
	// Seven runs a minute bring 1.4 tokens, and time 3.
	want := []string{"0:1 1 6 24 false", "b:1 1 6 24 false", "a:1 2 7 11.4 true", "c:1 1 1 4 false"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("hosts, want - got +:\n%s", diff)
	}
	for i, want := range []float64{4, 10.4, 4, 24, 24} {
		if worst := got.Probes[i].Requests.Worst; math.Abs(worst-want) > 1e-9 {
			t.Errorf("%s makes %v requests a minute at worst, want %v", got.Probes[i].Probe.Name, worst, want)
		}
	}
	if got.Series != (plan.Series{Steady: 350, EachReason: 15}) || got.Memory != 5*plan.ProbeBytes ||
		math.Abs(got.Requests.Worst-63.4) > 1e-9 || got.Requests.Well != 20 {
		t.Errorf("in all %+v series, %d bytes, %+v requests", got.Series, got.Memory, got.Requests)
	}
}

func TestAPlanOfNothing(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(&plan.Plan{Probes: []plan.Probe{}}, plan.Of(nil, noSeries)); diff != "" {
		t.Errorf("want - got +:\n%s", diff)
	}
}
