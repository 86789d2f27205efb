package plan_test

import (
	"context"
	"errors"
	"math"
	"time"

	"sonde/probe"
	"sonde/probe/plan"
	"sonde/probe/retry"
)

// actor is a prober that acts out a run: its attempts take what they are told and then fail. It is a
// Rester and an Asker, as http's is.
type actor struct {
	takes   func(n int) time.Duration // the n-th call's, from 0; it may be cut by the run's end
	asks    func(n int) time.Duration // 0 is nothing
	stale   bool                      // the first is repeated transparently
	mute    bool                      // it can never ask
	calls   int
	number  int
	resends int
}

func (a *actor) Asks() bool { return !a.mute }
func (a *actor) Rest()      {}

// plain is an actor without Rest, and so without transparent attempts, that can never ask.
type plain struct{ a *actor }

func (p plain) Probe(ctx context.Context, t probe.Try) probe.Attempt { return p.a.Probe(ctx, t) }

func (a *actor) Probe(ctx context.Context, t probe.Try) probe.Attempt {
	n := a.calls
	a.calls++
	if t.Number == a.number {
		a.resends++
	}
	a.number = t.Number
	failed := probe.Attempt{
		Reason: probe.ReasonDisconnected, Transient: true, Repeatable: true, Err: errors.New("cut"),
		Evidence: probe.Unanswered, Stale: a.stale && n == 0,
	}
	if a.asks != nil {
		failed.Asked = a.asks(n)
		failed.HasAsked = failed.Asked > 0
	}
	select {
	case <-time.After(a.takes(n)):
	case <-ctx.Done():
	}
	return failed
}

// none is a sink that keeps nothing.
type none struct{}

func (none) Declare(*probe.Probe)                     {}
func (none) AttemptDone(*probe.Probe, *probe.Attempt) {}
func (none) RunDone(*probe.Result)                    {}
func (none) Forget(*probe.Probe)                      {}

// runs runs a probe with a chance that is always the same.
func runs(ctx context.Context, p probe.Probe, prober probe.Prober, chance float64) *probe.Result {
	p.Prober = prober
	e := &retry.Engine{Chance: func() float64 { return chance }}
	return p.Run(ctx, e, none{})
}

// almostOne is the greatest chance that there can be.
var almostOne = math.Nextafter(1, 0)

func noSeries(*probe.Probe) plan.Series { return plan.Series{} }

// planOf is the plan of one probe.
func planOf(p probe.Probe, prober probe.Prober) plan.Probe {
	p.Prober = prober
	return plan.Of([]*probe.Probe{&p}, noSeries).Probes[0]
}

func always(d time.Duration) func(int) time.Duration { return func(int) time.Duration { return d } }

// builtin is a probe with the values that a file need not set.
func builtin() probe.Probe {
	return probe.Probe{
		Name: "a", Host: "a:1", Interval: time.Minute, Limits: probe.Limits{Total: 30 * time.Second},
		Policy: retry.Policy{
			Attempts: 4, Transparent: 1, Deadline: 54 * time.Second, RetryAfter: retry.RetryAfter{Max: time.Minute},
			Backoff: retry.Backoff{Base: 500 * time.Millisecond, Cap: 10 * time.Second, Jitter: 500 * time.Millisecond},
		},
	}
}

func with(change func(*probe.Probe)) probe.Probe {
	p := builtin()
	change(&p)
	return p
}
