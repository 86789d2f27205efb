package tale_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// script is a Prober that makes its attempts one after the other, the last for ever.
type script struct {
	attempts []probe.Attempt
	made     int
}

// takes is how long every scripted attempt takes that nothing cuts.
const takes = 20 * time.Millisecond

// Probe makes the next attempt. One that passes after an hour is cut by the run's end.
func (s *script) Probe(ctx context.Context, _ probe.Try) probe.Attempt {
	a := s.attempts[min(s.made, len(s.attempts)-1)]
	s.made++
	if a.Duration == 0 {
		a.Duration = takes
	}
	t := time.NewTimer(a.Duration)
	defer t.Stop()
	select {
	case <-t.C:
		return a
	case <-ctx.Done():
	}
	cut := probe.Attempt{Reason: probe.ReasonDeadline, Evidence: a.Evidence, Phase: probe.PhaseWait, Method: a.Method, Repeatable: a.Repeatable, Err: context.Cause(ctx)}
	if cause := context.Cause(ctx); !errors.Is(cause, retry.ErrDeadline) && !errors.Is(cause, retry.ErrBatchDeadline) {
		cut.Reason = probe.ReasonCanceled
	}
	return cut
}

// silent is a Sink that nobody asks.
type silent struct{}

func (silent) Declare(*probe.Probe)                     {}
func (silent) AttemptDone(*probe.Probe, *probe.Attempt) {}
func (silent) RunDone(*probe.Result)                    {}
func (silent) Forget(*probe.Probe)                      {}

// passes is a GET that passes.
func passes() probe.Attempt {
	return probe.Attempt{OK: true, Method: "GET", Repeatable: true, Evidence: probe.Answered, HTTP: &probe.HTTP{Status: 200}}
}

// answers is a GET that was answered with a status, which is retried as the default set has it.
func answers(status int) probe.Attempt {
	transient := status == 408 || status == 429 || status >= 500 && status <= 504 && status != 501
	return probe.Attempt{
		Method: "GET", Repeatable: true, Evidence: probe.Answered, HTTP: &probe.HTTP{Status: status}, Phase: probe.PhaseTransfer,
		Reason: probe.ReasonStatus, Transient: transient, Err: fmt.Errorf("status %d, want 2xx", status),
	}
}

// asks is an answer that asks for a wait.
func asks(status int, wait time.Duration) probe.Attempt {
	a := answers(status)
	a.Asked, a.HasAsked = wait, true
	return a
}

// fails is a GET that fails for a reason, as transient as the table has it.
func fails(reason probe.Reason, evidence probe.Evidence) probe.Attempt {
	return probe.Attempt{
		Method: "GET", Repeatable: true, Evidence: evidence, Phase: probe.PhaseWait, Reason: reason, Transient: reason.Transient(),
		Err: errors.New("what went wrong"),
	}
}

// limited is a GET that a limit has ended.
func limited(l probe.Limit, phase probe.Phase) probe.Attempt {
	a := fails(probe.Reason("limit_"+string(l)), probe.Unanswered)
	a.Limit, a.Phase = l, phase
	return a
}

// post is the attempt as a POST, without a key or with one.
func post(keyed bool, a probe.Attempt) probe.Attempt {
	a.Method, a.Repeatable = "POST", keyed
	return a
}

// redirected is the attempt whose first request was led on.
func redirected(a probe.Attempt) probe.Attempt {
	a.HTTP = &probe.HTTP{Status: 307, Hops: []probe.Hop{{Status: 307}}}
	return a
}

// stale is the attempt on a kept connection that had died.
func stale(a probe.Attempt) probe.Attempt {
	a.Stale, a.Reused = true, true
	return a
}

// talks is the attempt as one of a kind without methods.
func talks(a probe.Attempt) probe.Attempt {
	a.Method, a.HTTP = "", nil
	return a
}

// endless is an attempt that only the run's end ends.
func endless(a probe.Attempt) probe.Attempt {
	a.Duration = time.Hour
	return a
}
