package retry

import "time"

// Outcome is what one attempt tells the engine.
type Outcome struct {
	// OK is true when the attempt passed.
	OK bool
	// Transient is true when another attempt is worth it.
	Transient bool
	// Evidence says how far the attempt got.
	Evidence Evidence
	// Stale is true when the attempt went out on a kept connection that had died in the meantime.
	Stale bool
	// Repeatable is true when sending twice does what sending once does: an idempotent method, or a key.
	Repeatable bool
	// NotReplayable is true when the same bytes cannot be had again.
	NotReplayable bool
	// Asked is how long the other side asked us to wait, and HasAsked whether it did.
	Asked    time.Duration
	HasAsked bool
}

// Source says where a wait came from.
type Source string

// Where a wait came from; empty when there is none.
const (
	FromBackoff    Source = "backoff"
	FromRetryAfter Source = "retry_after"
)

// Decision is what follows an attempt: the end of the run, or another attempt after a wait.
type Decision struct {
	// Stop ends the run; empty means that another attempt follows.
	Stop Stop
	// Wait is how long to wait before the next attempt.
	Wait time.Duration
	// Source says which term made the wait; empty when there is no wait.
	Source Source
	// Transparent makes the next attempt a transparent one: at once, on a fresh connection, uncharged.
	Transparent bool
	// Ambiguous is true when the next attempt repeats an unanswered request that is neither idempotent
	// nor keyed, so that the other side may process it twice.
	Ambiguous bool
}

// situation is all that a decision depends on, the budget apart.
type situation struct {
	policy   *Policy
	outcome  Outcome
	cut      Stop          // why the run has already ended, or empty
	charged  int           // attempts so far, transparent ones not counted
	resent   bool          // the run's transparent attempt is used up
	previous time.Duration // the wait before this attempt, 0 when there was none
	left     time.Duration // until the run's end; no end is the greatest duration
	chance   float64
}

// decide says what follows an attempt. An attempt that passed was not cut, however late we look at the
// clock: a process short of CPU must not call its target down for that. The rest is asked in the order
// of the Stops. decide touches nothing outside its argument; the budget, which is shared and changes, is
// asked by the engine after it.
func decide(s situation) Decision {
	o := s.outcome
	switch {
	case o.OK:
		return Decision{Stop: StopSuccess}
	case s.cut != "":
		return Decision{Stop: s.cut}
	case !o.Transient:
		return Decision{Stop: StopPermanent}
	case s.transparent():
		return Decision{Transparent: true}
	case s.charged >= s.policy.Attempts:
		return Decision{Stop: StopAttempts}
	}
	if stop := s.unsafe(); stop != "" {
		return Decision{Stop: stop}
	}
	if o.NotReplayable {
		return Decision{Stop: StopNotReplayable}
	}
	return s.retry()
}

// transparent is true where a connection library would send again by itself: the request was refused,
// or it met a connection that had gone stale and cannot have done harm.
func (s situation) transparent() bool {
	o := s.outcome
	if s.resent || s.policy.Transparent < 1 || o.NotReplayable {
		return false
	}
	if o.Evidence == Refused {
		return true
	}
	return o.Stale && (o.Evidence == NeverSent || o.Evidence == Unanswered && o.Repeatable)
}

// unsafe is the stop of a request that may not be sent again, or empty.
func (s situation) unsafe() Stop {
	o := s.outcome
	switch {
	case o.Repeatable:
		return ""
	case o.Evidence == Answered:
		return StopUnsafeAfterResponse
	case o.Evidence == Unanswered && (s.policy.Unsafe == UnsafeBeforeSend || s.policy.Unsafe == UnsafeNever):
		return StopUnsafeAfterSend
	case s.policy.Unsafe == UnsafeNever:
		return StopUnsafeMethod
	}
	return ""
}

// retry plans the wait before another attempt, and stops instead when the wait may not or cannot be.
func (s situation) retry() Decision {
	backoff := s.policy.Backoff
	d := Decision{Wait: backoff.Wait(s.charged, s.previous, s.chance), Source: FromBackoff}
	asked, obey, over := s.policy.RetryAfter.Judge(s.outcome.Asked, s.outcome.HasAsked)
	if over {
		return Decision{Stop: StopRetryAfterOverMax}
	}
	if obey {
		if w := addSaturating(asked, scale(backoff.Jitter, s.chance)); w > d.Wait {
			d.Wait, d.Source = w, FromRetryAfter
		}
	}
	if d.Wait >= s.left {
		return Decision{Stop: StopDeadlineWouldPass}
	}
	d.Ambiguous = !s.outcome.Repeatable && s.outcome.Evidence == Unanswered
	return d
}

// Judge says whether a wait that was asked for is obeyed, and how long, or is so long that the run must end; of
// none, where has is false, neither.
func (r RetryAfter) Judge(asked time.Duration, has bool) (wait time.Duration, obey, end bool) {
	if !has {
		return 0, false, false
	}
	asked = max(0, asked)
	if r.Max <= 0 || asked <= r.Max {
		return asked, true, false
	}
	switch r.Above {
	case AboveClamp:
		return r.Max, true, false
	case AboveIgnore:
		return 0, false, false
	}
	return 0, false, true
}
