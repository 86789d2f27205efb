package probe_test

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// step is one scripted attempt: how long it takes and what comes of it. One that the run's end cuts
// says so, as conn does.
type step struct {
	takes   time.Duration
	attempt probe.Attempt
	panics  any
}

var errRefused = fmt.Errorf("connecting to 192.0.2.1:80: %w", syscall.ECONNREFUSED)

// fails is an attempt that fails for a reason, as transient as the table says.
func fails(r probe.Reason) step {
	return step{attempt: probe.Attempt{
		Reason: r, Transient: r.Transient(), Evidence: probe.Unanswered, Repeatable: true,
		Err: fmt.Errorf("%s: %w", r, errRefused),
	}}
}

// passes is an attempt that passes.
func passes() step {
	return step{attempt: probe.Attempt{OK: true, Evidence: probe.Answered, Repeatable: true, HTTP: &probe.HTTP{Status: 200}}}
}

// stale is an attempt on a connection that had died.
func stale() step {
	s := fails(probe.ReasonStaleConnection)
	s.attempt.Stale = true
	return s
}

// hangs is an attempt that only the run's end ends.
func hangs() step { return passes().taking(1000 * time.Hour) }

func (s step) taking(d time.Duration) step {
	s.takes = d
	return s
}

func (s step) with(f func(*probe.Attempt)) step {
	f(&s.attempt)
	return s
}

// script is a Prober that goes through its steps, the last one for ever. It is also the Sink, and keeps
// what it is told in order.
type script struct {
	steps  []step
	tries  []probe.Try
	events []string
}

func (s *script) Probe(ctx context.Context, t probe.Try) probe.Attempt {
	now := s.steps[min(len(s.tries), len(s.steps)-1)]
	s.tries = append(s.tries, t)
	if now.panics != nil {
		panic(now.panics)
	}
	if now.takes == 0 {
		return now.attempt
	}
	select {
	case <-time.After(now.takes):
		return now.attempt
	case <-ctx.Done():
	}
	cause := context.Cause(ctx)
	reason := probe.ReasonCanceled
	if errors.Is(cause, retry.ErrDeadline) || errors.Is(cause, retry.ErrBatchDeadline) {
		reason = probe.ReasonDeadline
	}
	return probe.Attempt{
		Reason: reason, Evidence: probe.Unanswered, Repeatable: true, Phase: probe.PhaseWait,
		Err: fmt.Errorf("waiting for the response: %w", cause),
	}
}

func (s *script) event(format string, args ...any) {
	s.events = append(s.events, fmt.Sprintf(format, args...))
}

func (s *script) Rest()                   { s.event("rest") }
func (s *script) Declare(p *probe.Probe)  { s.event("declare %s", p.Name) }
func (s *script) Forget(p *probe.Probe)   { s.event("forget %s", p.Name) }
func (s *script) RunDone(r *probe.Result) { s.event("run %s", r.Verdict) }
func (s *script) AttemptDone(_ *probe.Probe, a *probe.Attempt) {
	s.event("attempt %d %v wait %v", a.Number, a.OK, a.Wait)
}

// play makes a probe of the steps, with policy S of the conformance table, and runs it.
func play(ctx context.Context, e *retry.Engine, change func(*probe.Probe), steps ...step) (*script, *probe.Result) {
	s := &script{steps: steps}
	p := &probe.Probe{
		Name: "shop", Kind: "script", Target: "https://shop.example.com/", Host: "shop.example.com:443",
		Interval: time.Minute, Prober: s,
		Policy: retry.Policy{
			Attempts: 4, Transparent: 1, RetryAfter: retry.RetryAfter{Max: time.Minute},
			Backoff: retry.Backoff{Base: 500 * time.Millisecond, Cap: 10 * time.Second, Jitter: 500 * time.Millisecond},
		},
	}
	if change != nil {
		change(p)
	}
	if e.Chance == nil {
		e.Chance = func() float64 { return 0.5 }
	}
	return s, p.Run(ctx, e, s)
}
