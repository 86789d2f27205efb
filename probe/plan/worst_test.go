package plan_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/plan"
	"sonde/probe/retry"
)

const s = time.Second

// TestWorst says of each way in which a run can end how the longest one goes. A bare prober keeps no
// connection and never asks for a wait.
func TestWorst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		probe  probe.Probe
		bare   bool
		want   string // steps: duration, ! when cut, ∞ without end
		total  time.Duration
		stop   retry.Stop
		passes bool // the next due time
	}{
		{"built-in", builtin(), true, "attempt1:30s wait1:1s attempt2:23s!", 54 * s, retry.StopDeadline, false},
		{"built-in, the plainest of equals", builtin(), false, "attempt1:30s wait1:1s attempt2:23s!", 54 * s, retry.StopDeadline, false},
		{"all attempts fit", with(func(p *probe.Probe) { p.Limits.Total = 5 * s }), true,
			"attempt1:5s wait1:1s attempt2:5s wait2:1.5s attempt3:5s wait3:2.5s attempt4:5s", 25 * s, retry.StopAttempts, false},
		{"a resend is longer", with(func(p *probe.Probe) { p.Limits.Total = 5 * s; p.Policy.RetryAfter.Max = s }), false,
			"attempt1:5s resend1:5s wait1:1.5s attempt2:5s wait2:1.5s attempt3:5s wait3:2.5s attempt4:5s", 30500 * time.Millisecond, retry.StopAttempts, false},
		{"no resend", with(func(p *probe.Probe) {
			p.Limits.Total = 5 * s
			p.Policy.Transparent, p.Policy.Attempts, p.Policy.RetryAfter.Max = 0, 2, s
		}), false, "attempt1:5s wait1:1.5s attempt2:5s", 11500 * time.Millisecond, retry.StopAttempts, false},
		{"asked for longer", with(func(p *probe.Probe) { p.Limits.Total, p.Policy.Attempts, p.Policy.Deadline = 5*s, 2, 0 }), false,
			"attempt1:5s resend1:5s wait1:1m0.5s attempt2:5s", 75500 * time.Millisecond, retry.StopAttempts, true},
		{"one attempt", with(func(p *probe.Probe) { p.Policy.Attempts = 1 }), true, "attempt1:30s", 30 * s, retry.StopAttempts, false},
		{"no total", with(func(p *probe.Probe) { p.Limits.Total = 0 }), true, "attempt1:54s!", 54 * s, retry.StopDeadline, false},
		{"nothing ends it", with(func(p *probe.Probe) { p.Limits.Total, p.Policy.Deadline = 0, 0 }), true, "attempt1:∞", 0, "", true},
		{"nothing ends a wait", with(func(p *probe.Probe) { p.Policy.RetryAfter.Max, p.Policy.Deadline = 0, 0 }), false,
			"attempt1:30s wait1:∞", 30 * s, "", true},
		{"a wait makes room", with(func(p *probe.Probe) { p.Policy.RetryAfter.Max, p.Limits.Total = 0, 5*s }), false,
			"attempt1:5s wait1:49s! attempt2:0s!", 54 * s, retry.StopDeadline, false},
		{"an attempt makes room", with(func(p *probe.Probe) {
			p.Policy.Backoff = retry.Backoff{Base: 25 * s, Cap: 25 * s}
			p.Policy.Attempts = 2
		}), true, "attempt1:29s! wait1:25s attempt2:0s!", 54 * s, retry.StopDeadline, false},
		{"no wait ever fits", with(func(p *probe.Probe) { p.Policy.Backoff = retry.Backoff{Base: 60 * s, Cap: 60 * s} }), true,
			"attempt1:30s", 30 * s, retry.StopDeadlineWouldPass, false},
		{"at the very instant", with(func(p *probe.Probe) { p.Policy.Deadline, p.Policy.Attempts = 30*s, 1 }), true,
			"attempt1:30s", 30 * s, retry.StopDeadline, false},
		{"longer than the interval", with(func(p *probe.Probe) { p.Policy.Deadline = 2 * time.Minute }), true,
			"attempt1:30s wait1:1s attempt2:30s wait2:1.5s attempt3:30s wait3:2.5s attempt4:25s!", 120 * s, retry.StopDeadline, true},
		{"decorrelated", with(func(p *probe.Probe) {
			p.Policy.Backoff, p.Policy.Attempts, p.Limits.Total = retry.Backoff{Kind: retry.Decorrelated, Base: s, Cap: 5 * s}, 3, s
		}), true, "attempt1:1s wait1:3s attempt2:1s wait2:5s attempt3:1s", 11 * s, retry.StopAttempts, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := planOf(c.probe, proberOf(&actor{}, c.bare))
			if text := told(got.Worst); text != c.want {
				t.Errorf("the longest run is\n%s, want\n%s", text, c.want)
			}
			if got.Worst.Duration != c.total || got.Worst.Stop != c.stop || got.Worst.Unbounded != strings.Contains(c.want, "∞") || got.Overruns() != c.passes {
				t.Errorf("it lasts %v (unbounded %v, overruns %v) and stops by %q, want %v (overruns %v) and %q",
					got.Worst.Duration, got.Worst.Unbounded, got.Overruns(), got.Worst.Stop, c.total, c.passes, c.stop)
			}
			acted(t, c.probe, got.Worst, c.bare)
		})
	}
}

func proberOf(a *actor, bare bool) probe.Prober {
	if bare {
		return plain{a}
	}
	return a
}

// told is a timeline on one line.
func told(t plan.Timeline) string {
	var words []string
	for _, step := range t.Steps {
		d := step.Duration.String()
		if step.Unbounded {
			d = "∞"
		}
		if step.Cut {
			d += "!"
		}
		words = append(words, fmt.Sprintf("%s%d:%s", step.Kind, step.Number, d))
	}
	return strings.Join(words, " ")
}

// acted runs the timeline in virtual time, its steps as long as they say but for a microsecond where
// one is shortened, and holds that the run is as long and makes the same attempts.
func acted(t *testing.T, p probe.Probe, want plan.Timeline, bare bool) {
	if want.Unbounded {
		return
	}
	synctest.Test(t, func(t *testing.T) {
		a := actorOf(p, want)
		r := runs(t.Context(), p, proberOf(a, bare), almostOne)
		if late := want.Duration - r.Duration; late < 0 || late > 10*time.Microsecond {
			t.Errorf("acted out, the run lasts %v, want %v: %s", r.Duration, want.Duration, told(want))
		}
		attempts, resends := 0, 0
		for _, step := range want.Steps {
			switch step.Kind {
			case plan.StepAttempt:
				attempts++
			case plan.StepResend:
				resends++
			}
		}
		if a.calls-a.resends != attempts || a.resends != resends || r.Stop != want.Stop {
			t.Errorf("acted out, there are %d attempts and %d resends and the stop is %s, want %d, %d and %s",
				a.calls-a.resends, a.resends, r.Stop, attempts, resends, want.Stop)
		}
	})
}

// actorOf acts a timeline: the last attempt that the run's end cuts goes on until then.
func actorOf(p probe.Probe, line plan.Timeline) *actor {
	var takes, asks []time.Duration
	a := &actor{}
	for i, step := range line.Steps {
		switch {
		case step.Kind == plan.StepWait && step.Source == retry.FromRetryAfter:
			asks[len(asks)-1] = step.Duration - p.Policy.Backoff.Jitter
			if step.Cut {
				asks[len(asks)-1] -= time.Microsecond
			}
		case step.Kind == plan.StepWait:
		case step.Cut && i == len(line.Steps)-1:
			takes, asks = append(takes, p.Limits.Total), append(asks, 0)
			if p.Limits.Total == 0 {
				takes[len(takes)-1] = 1000 * time.Hour
			}
		default:
			takes, asks = append(takes, step.Duration), append(asks, 0)
			if step.Cut {
				takes[len(takes)-1] -= time.Microsecond
			}
		}
		a.stale = a.stale || step.Kind == plan.StepResend
	}
	a.takes = func(n int) time.Duration { return takes[n] }
	a.asks = func(n int) time.Duration { return asks[n] }
	return a
}

// TestNoRunIsLongerThanTheWorst runs probes of all sorts of policies in virtual time: with attempts that
// always take their total and chance next to 1, and with both as they come.
func TestNoRunIsLongerThanTheWorst(t *testing.T) {
	t.Parallel()
	reached := 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 4))
		p := anyProbe(r)
		worst := planOf(p, &actor{}).Worst
		synctest.Test(t, func(t *testing.T) {
			took := runs(t.Context(), p, slow(p, r), almostOne)
			if took.Duration > worst.Duration {
				t.Errorf("seed %d: a run lasts %v, over the worst %v: %s\n%+v", seed, took.Duration, worst.Duration, told(worst), p)
			}
			if worst.Duration-took.Duration < time.Microsecond {
				reached++
			}
			by := runs(t.Context(), p, random(p, r), r.Float64())
			if by.Duration > worst.Duration {
				t.Errorf("seed %d: a run by chance lasts %v, over the worst %v: %s\n%+v", seed, by.Duration, worst.Duration, told(worst), p)
			}
		})
	}
	if reached < 900 {
		t.Errorf("%d of 1500 runs of slow attempts come to their worst, want most of them", reached)
	}
}

// slow always takes its total, is stale at first, and asks for the longest wait that is obeyed.
func slow(p probe.Probe, r *rand.Rand) *actor {
	a := &actor{takes: always(p.Limits.Total), stale: true}
	if r.IntN(2) == 0 {
		a.asks = always(p.Policy.RetryAfter.Max)
	}
	return a
}

// random takes and asks what chance says, within the limits.
func random(p probe.Probe, r *rand.Rand) *actor {
	return &actor{
		takes: func(int) time.Duration { return time.Duration(r.Int64N(int64(p.Limits.Total) + 1)) },
		asks:  func(int) time.Duration { return time.Duration(r.Int64N(int64(p.Policy.RetryAfter.Max) * 2)) },
		stale: r.IntN(2) == 0,
	}
}

func anyProbe(r *rand.Rand) probe.Probe {
	upTo := func(d time.Duration) time.Duration { return time.Duration(r.Int64N(int64(d))) + 1 }
	kinds := []retry.BackoffKind{"", retry.Additive, retry.Full, retry.Equal, retry.Decorrelated}
	p := builtin()
	p.Limits.Total = upTo(40 * s)
	p.Policy.Attempts = 1 + r.IntN(8)
	p.Policy.Transparent = r.IntN(2)
	p.Policy.RetryAfter = retry.RetryAfter{Max: upTo(20 * s), Above: []retry.Above{"", retry.AboveClamp, retry.AboveIgnore}[r.IntN(3)]}
	p.Policy.Deadline = time.Duration(r.IntN(3)) * upTo(60*s)
	p.Policy.Backoff = retry.Backoff{
		Kind: kinds[r.IntN(len(kinds))], Base: upTo(20 * s), Cap: upTo(20 * s), Jitter: upTo(5 * s), CapIncludesJitter: r.IntN(2) == 0,
	}
	return p
}
