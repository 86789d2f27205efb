// Package retry runs a task under a policy: how many attempts, how long a wait between them, and when
// to stop. It knows no protocol, no logger and no metric. What came of an attempt, and whether another
// could help, is said by the task; whether and when there is another is decided here.
package retry

import "time"

// Policy bounds one run. It is a value that nothing changes, so any number of runs may share it.
type Policy struct {
	// Attempts counts every try of one run, the first included. Below 1 is taken as 1.
	Attempts int
	// Backoff says how long to wait between attempts.
	Backoff Backoff
	// RetryAfter says what becomes of a wait that the other side asked for.
	RetryAfter RetryAfter
	// Unsafe says when a request that is neither idempotent nor keyed may be sent again.
	// Empty is UnsafeBeforeResponse.
	Unsafe Unsafe
	// Transparent is how many transparent attempts a run may make: 0 or 1.
	Transparent int
	// Deadline ends a run, its waits included; 0 is none.
	Deadline time.Duration
	// Budget bounds the retries to one host over all its probes; the zero value is no bound.
	Budget Budget
}

// Backoff is the wait between attempts; see Wait.
type Backoff struct {
	// Kind is the shape of the growth; empty is Additive.
	Kind BackoffKind
	// Base is the wait after the first attempt, before jitter; 0 makes every additive wait jitter alone.
	Base time.Duration
	// Cap bounds the growth. Additive jitter comes on top of it unless CapIncludesJitter is set.
	Cap time.Duration
	// Jitter is the greatest addition by chance; it serves Additive and a wait that was asked for.
	Jitter time.Duration
	// CapIncludesJitter keeps an additive wait, jitter included, within Cap.
	CapIncludesJitter bool
}

// BackoffKind names a shape of growth.
type BackoffKind string

// The shapes of growth, with b = min(cap, base·2^(n−1)) and U uniform in [0, 1).
const (
	Additive     BackoffKind = "additive"     // b + U·jitter
	Full         BackoffKind = "full"         // U·b
	Equal        BackoffKind = "equal"        // b/2 + U·b/2
	Decorrelated BackoffKind = "decorrelated" // min(cap, base + U·(3·previous − base))
)

// RetryAfter says what becomes of a wait that the other side asked for.
type RetryAfter struct {
	// Max is the longest wait that is obeyed as it is, judged before jitter; 0 or less is no bound.
	Max time.Duration
	// Above says what becomes of a longer one; empty is AboveStop.
	Above Above
}

// Above says what becomes of an asked wait above the greatest that is obeyed.
type Above string

// What becomes of an asked wait above RetryAfter.Max.
const (
	AboveStop   Above = "stop"   // the run ends: an earlier try would be impolite and useless
	AboveClamp  Above = "clamp"  // Max is waited
	AboveIgnore Above = "ignore" // the backoff alone is waited
)

// Unsafe says when a request that is neither idempotent nor keyed may be sent again.
type Unsafe string

// When a request that is neither idempotent nor keyed may be sent again.
const (
	UnsafeBeforeResponse Unsafe = "before_response" // no byte of a response had come
	UnsafeBeforeSend     Unsafe = "before_send"     // the peer cannot have processed it
	UnsafeNever          Unsafe = "never"
)

// Evidence says how far an attempt got, and so what the other side can have done with it.
type Evidence string

// How far an attempt got.
const (
	NeverSent  Evidence = "never_sent" // no byte of this request left us
	Refused    Evidence = "refused"    // the peer guarantees that it was not processed
	Unanswered Evidence = "unanswered" // a byte left, no byte of a response came
	Answered   Evidence = "answered"   // at least one byte of a response came
)

// Stop says why a run ended.
type Stop string

// Why a run ended, in the order in which the reasons are asked; only success is asked before all others.
const (
	StopCanceled            Stop = "canceled"
	StopBatchDeadline       Stop = "batch_deadline"
	StopDeadline            Stop = "deadline"
	StopSuccess             Stop = "success"
	StopPermanent           Stop = "permanent"
	StopAttempts            Stop = "attempts"
	StopUnsafeAfterResponse Stop = "unsafe_after_response"
	StopUnsafeAfterSend     Stop = "unsafe_after_send"
	StopUnsafeMethod        Stop = "unsafe_method"
	StopNotReplayable       Stop = "not_replayable"
	StopRetryAfterOverMax   Stop = "retry_after_over_max"
	StopDeadlineWouldPass   Stop = "deadline_would_pass"
	StopBudget              Stop = "budget"
)

// Stops lists every Stop, in the order in which they are asked.
func Stops() []Stop {
	return []Stop{
		StopCanceled, StopBatchDeadline, StopDeadline, StopSuccess, StopPermanent, StopAttempts,
		StopUnsafeAfterResponse, StopUnsafeAfterSend, StopUnsafeMethod, StopNotReplayable,
		StopRetryAfterOverMax, StopDeadlineWouldPass, StopBudget,
	}
}
