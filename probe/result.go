package probe

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"sonde/probe/retry"
)

// Verdict is what a run says of its target.
type Verdict string

// The verdicts.
const (
	Up      Verdict = "up"      // passed without a failure of the target's
	Flaky   Verdict = "flaky"   // passed, but only after an attempt failed for a reason that is the target's
	Down    Verdict = "down"    // failed
	Unknown Verdict = "unknown" // ended by a reason that is ours, or canceled: it says nothing of the target
)

// Verdicts lists every Verdict, worst first.
func Verdicts() []Verdict { return []Verdict{Down, Unknown, Flaky, Up} }

// Passed is true of the verdicts of a run that passed.
func (v Verdict) Passed() bool { return v == Up || v == Flaky }

// Result is one run of a probe.
type Result struct {
	Probe   *Probe
	Verdict Verdict
	// Reason is why the run failed; empty when it passed.
	Reason Reason
	Stop   retry.Stop
	// Err is a *RunError, nil when the run passed.
	Err error
	// Started and Duration span the run, its waits included.
	Started  time.Time
	Duration time.Duration
	Attempts []Attempt
}

// Last is the last attempt; nil when the run never began.
func (r *Result) Last() *Attempt {
	if len(r.Attempts) == 0 {
		return nil
	}
	return &r.Attempts[len(r.Attempts)-1]
}

// Charged is how many attempts the run made, transparent ones not counted.
func (r *Result) Charged() int {
	n := 0
	for i := range r.Attempts {
		if !r.Attempts[i].Transparent {
			n++
		}
	}
	return n
}

// judge fills Verdict, Reason and Err from the attempts and from what the engine says of the run.
func (r *Result) judge(s retry.Summary) {
	r.Stop, r.Started, r.Duration = s.Stop, s.Started, s.Duration
	if s.Stop == retry.StopSuccess {
		r.Verdict = r.passed()
		return
	}
	r.Reason = r.failedFor()
	r.Verdict = r.failed()
	r.Err = r.wrap(s.Cause)
}

// passed is flaky when a failure of the target's had to be retried; one that a transparent attempt
// mended at once does not count.
func (r *Result) passed() Verdict {
	for i := range r.Attempts {
		a := &r.Attempts[i]
		resent := i+1 < len(r.Attempts) && r.Attempts[i+1].Transparent
		if !a.OK && !resent && a.Reason.Blame() == OfTarget {
			return Flaky
		}
	}
	return Up
}

// failedFor is the last attempt's reason, unless the run was cut and that attempt was not.
func (r *Result) failedFor() Reason {
	end := ReasonDeadline
	switch r.Stop {
	case retry.StopCanceled:
		end = ReasonCanceled
	case retry.StopDeadline:
		end = r.deadline()
	case retry.StopBatchDeadline:
	default:
		return r.Last().Reason
	}
	if last := r.Last(); last != nil && last.Reason.Blame() == Ours {
		return last.Reason
	}
	return end
}

// deadline is the reason of a run that its deadline has ended: that is the target's fault only when the
// target has had its time, and, where no attempt failed for a reason of its own, all of it. No attempt has
// passed: one that does ends its run, however late we look at the clock.
func (r *Result) deadline() Reason {
	if r.stalled() {
		return ReasonProberLate
	}
	ours := ReasonDeadline
	for i := range r.Attempts {
		switch a := &r.Attempts[i]; {
		case a.Reason.Blame() == OfTarget:
			return ReasonDeadline
		case a.Reason.Blame() == Ours:
			ours = a.Reason
		}
	}
	return ours
}

// stallShare is what part of a run's time we must have lost between two attempts, or before the first, for
// the deadline to have passed by our fault. No wait is planned to end after the deadline.
const stallShare = 5

// stalled is true when the deadline has passed while nothing was asked of the target, because we did not
// get on.
func (r *Result) stalled() bool {
	last := r.Last()
	if last == nil {
		return true
	}
	ended := last.Started.Add(last.Duration).Sub(r.Started)
	return last.Reason.Blame() == OfTarget && (r.Duration-ended-last.Wait)*stallShare > r.Probe.Policy.Deadline
}

func (r *Result) failed() Verdict {
	switch {
	case r.Stop == retry.StopCanceled, r.Reason.Blame() == Ours:
		return Unknown
	case r.Stop == retry.StopBatchDeadline && r.lastReal() == nil:
		return Unknown
	}
	return Down
}

// lastReal is the last attempt that failed for a reason of the target's; nil when none did.
func (r *Result) lastReal() *Attempt {
	for i := len(r.Attempts) - 1; i >= 0; i-- {
		if a := &r.Attempts[i]; !a.OK && a.Reason.Blame() == OfTarget {
			return a
		}
	}
	return nil
}

// wrap makes the run's error: what cut it, if something did, and the last error of an attempt. Of a
// run that was cut, the last real error is told rather than the cut attempt's, which only repeats the cut.
func (r *Result) wrap(cause error) error {
	e := &RunError{Probe: r.Probe.Name, Target: r.Probe.Target, Attempts: r.Charged(), Stop: r.Stop}
	var last error
	if a := r.Last(); a != nil {
		last = a.Err
	}
	if cause != nil {
		if real := r.lastReal(); real != nil {
			cause, last = r.told(cause), real.Err
		}
	}
	e.Err = last
	switch {
	case cause != nil && last == nil:
		e.Err = cause
	case cause != nil && !errors.Is(last, cause):
		e.Err = &cutError{cause: cause, before: last}
	case r.Stop == retry.StopRetryAfterOverMax:
		e.Err = &askedError{error: last, asked: r.Last().Asked, limit: r.Probe.Policy.RetryAfter.Max}
	}
	return e
}

// told is what cut the run in the words of the attempt that it cut, which say what that was doing; or as it is,
// when it cut none.
func (r *Result) told(cause error) error {
	if a := r.Last(); a.Reason == ReasonDeadline && errors.Is(a.Err, cause) {
		return a.Err
	}
	return cause
}

// cutError is what cut a run, and the last failure before that.
type cutError struct{ cause, before error }

func (e *cutError) Error() string {
	return fmt.Sprintf("%s; the last failure before it: %s", oneLine(e.cause), oneLine(e.before))
}

func (e *cutError) Unwrap() []error { return []error{e.cause, e.before} }

// askedError is a failure with which the other side asked for a longer wait than is obeyed.
type askedError struct {
	error
	asked, limit time.Duration
}

func (e *askedError) Error() string {
	return fmt.Sprintf("%s; it asks to wait %v, more than retry.retry_after.max %v", oneLine(e.error), e.asked, e.limit)
}

func (e *askedError) Unwrap() error { return e.error }

// RunError is why a run failed. It unwraps to what cut the run and to the last attempt's error, so that
// errors.Is and errors.As reach the leaf.
type RunError struct {
	Probe    string
	Target   string // redacted
	Attempts int    // transparent ones not counted
	Stop     retry.Stop
	Err      error
}

// Error names the probe, its target, how many attempts were made, why no other followed, and the error.
func (e *RunError) Error() string {
	text := "no attempt was made"
	if e.Err != nil {
		text = oneLine(e.Err)
	}
	return fmt.Sprintf("probe %s at %s: %s (attempts: %d, stop: %s)", e.Probe, e.Target, text, e.Attempts, e.Stop)
}

// Unwrap leads to what cut the run and to the last attempt's error.
func (e *RunError) Unwrap() error { return e.Err }

// oneLine is the text of an error, joined errors on one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
