package retry

import (
	"context"
	"time"
)

// step is one scripted attempt: how long it takes and what comes of it.
type step struct {
	takes   time.Duration
	outcome Outcome
}

var (
	passes    = step{outcome: Outcome{OK: true, Evidence: Answered, Repeatable: true}}
	answers   = step{outcome: Outcome{Transient: true, Evidence: Answered, Repeatable: true}} // a 503
	isRefused = step{outcome: Outcome{Transient: true, Evidence: NeverSent, Repeatable: true}}
	notFound  = step{outcome: Outcome{Evidence: Answered, Repeatable: true}}
	h2Refused = step{outcome: Outcome{Transient: true, Evidence: Refused, Repeatable: true}}
	wentStale = step{outcome: Outcome{Transient: true, Evidence: Unanswered, Repeatable: true, Stale: true}}
)

// taking is the step, but it takes long; it ends early, and fails, when the run does.
func (s step) taking(d time.Duration) step {
	s.takes = d
	return s
}

// asking is the step, but the other side asks us to wait.
func (s step) asking(d time.Duration) step {
	s.outcome.Asked, s.outcome.HasAsked = d, true
	return s
}

// posting is the step of a request that is neither idempotent nor keyed.
func (s step) posting(e Evidence) step {
	s.outcome.Repeatable, s.outcome.Evidence = false, e
	return s
}

// script is a Task that goes through its steps, the last one for ever, and keeps what it is told.
type script struct {
	steps []step
	began time.Time

	tries     []Try
	starts    []time.Duration // since began
	decisions []Decision
	waited    []time.Duration
	cause     error // of the context when the last try ended
}

func play(steps ...step) *script { return &script{steps: steps, began: time.Now()} }

func (s *script) Try(ctx context.Context, t Try) Outcome {
	now := s.steps[min(len(s.tries), len(s.steps)-1)]
	s.tries = append(s.tries, t)
	s.starts = append(s.starts, time.Since(s.began))
	if now.takes > 0 {
		select {
		case <-time.After(now.takes):
		case <-ctx.Done():
			s.cause = context.Cause(ctx)
			return Outcome{Evidence: now.outcome.Evidence, Repeatable: now.outcome.Repeatable}
		}
	}
	s.cause = context.Cause(ctx)
	return now.outcome
}

func (s *script) Decided(_ Try, d Decision) { s.decisions = append(s.decisions, d) }

func (s *script) Waited(d time.Duration) { s.waited = append(s.waited, d) }
