package retry

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"time"
)

// The causes with which the engine ends a run's context. Both match context.DeadlineExceeded.
var (
	ErrDeadline      error = endError("the run's deadline has passed")
	ErrBatchDeadline error = endError("the batch's deadline has passed")
)

type endError string

func (e endError) Error() string   { return string(e) }
func (e endError) Unwrap() error   { return context.DeadlineExceeded }
func (e endError) Timeout() bool   { return true }
func (e endError) Temporary() bool { return true }

// canceledError is what the caller's context says, and the cause that the caller gave.
type canceledError struct{ err, cause error }

func (e *canceledError) Error() string   { return e.err.Error() + ": " + e.cause.Error() }
func (e *canceledError) Unwrap() []error { return []error{e.err, e.cause} }

// Try says which attempt the task is asked to make.
type Try struct {
	// Number counts charged attempts from 1. A transparent try bears the number of the one it repeats.
	Number int
	// Transparent marks a try that is not charged. It must go out on a fresh connection.
	Transparent bool
}

// Task is what an engine runs. Its methods are called one after the other, on the goroutine of Run.
type Task interface {
	// Try makes one attempt. It returns soon after ctx has ended; context.Cause(ctx) says why:
	// ErrDeadline, ErrBatchDeadline, or the caller's cause. It never waits and never retries.
	Try(ctx context.Context, t Try) Outcome
	// Decided is told what follows the try that has just ended, before any wait.
	Decided(t Try, d Decision)
	// Waited is told how long the engine has really waited before the next try, or before it was cut.
	Waited(d time.Duration)
}

// Summary is what Run knows of a run when it has ended.
type Summary struct {
	// Stop says why the run ended.
	Stop Stop
	// Cause is why the run was cut, nil when it ended by itself. It matches ErrDeadline, ErrBatchDeadline,
	// or, of a canceled run, both what the caller's context says and the cause that the caller gave.
	Cause error
	// Started and Duration span the whole run, waits included.
	Started  time.Time
	Duration time.Duration
}

// Engine runs tasks. The zero value is ready; one engine serves any number of runs at a time, and
// holds what they share: the retry budgets of the hosts. Its fields may not change once it is in use.
type Engine struct {
	// Chance draws from [0, 1); nil is math/rand/v2. It must be safe for concurrent use.
	Chance func() float64
	// End is when the batch that all runs of this engine belong to ends; zero is never.
	End time.Time
	// Clock is where the time comes from; nil is package time.
	Clock Clock
	// Slots are left by runs that wait before another try; nil bounds nothing.
	Slots Slots

	budgets budgets
	alarms  alarms
}

// Clock is the engine's time. Tests of this package need none (testing/synctest); it is there for a
// program that runs a policy in virtual time.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f on its own goroutine after d; stop keeps it from being called.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
	// Sleep returns after d, or when ctx has ended.
	Sleep(ctx context.Context, d time.Duration)
}

// Now is the engine's time.
func (e *Engine) Now() time.Time {
	if e.Clock != nil {
		return e.Clock.Now()
	}
	return time.Now()
}

// Run runs a task under a policy until an attempt passes or a Stop ends it. host names the retry
// budget that the run draws on. No context that Run makes carries a deadline, not even that of ctx: a timer
// cancels it with a cause, so that no socket inherits a deadline that fires first and is misnamed.
func (e *Engine) Run(ctx context.Context, p *Policy, host string, task Task) Summary {
	r := &run{engine: e, policy: p, task: task, started: e.Now(), ctx: ending{parent: ctx}}
	if r.bucket = e.budgets.begin(host, p.Budget, r.started); r.bucket != nil {
		defer r.bucket.end()
	}
	r.now = r.started
	r.alarm = e.alarms.take(ctx)
	defer r.over()
	r.alarm.watch(&r.ctx)
	r.endAt(e.endOf(p, r.started))
	stop := r.loop()
	return Summary{Stop: stop, Cause: r.cause(stop), Started: r.started, Duration: r.now.Sub(r.started) - r.queued}
}

// endOf is when a run begun at start has to end, and with which cause; the batch's end wins a tie.
func (e *Engine) endOf(p *Policy, start time.Time) (time.Time, error) {
	if p.Deadline <= 0 {
		return e.End, ErrBatchDeadline
	}
	return e.earlier(start.Add(p.Deadline))
}

// earlier is a run's own end, or that of the batch.
func (e *Engine) earlier(own time.Time) (time.Time, error) {
	if !e.End.IsZero() && !own.Before(e.End) {
		return e.End, ErrBatchDeadline
	}
	return own, ErrDeadline
}

func (e *Engine) chance() float64 {
	if e.Chance != nil {
		return e.Chance()
	}
	return rand.Float64()
}

// sleep returns after d, or when ctx has ended.
func (e *Engine) sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	if e.Clock != nil {
		e.Clock.Sleep(ctx, d)
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// run is the state of one Run.
type run struct {
	engine   *Engine
	policy   *Policy
	task     Task
	bucket   *bucket
	started  time.Time
	end      time.Time // zero is never
	endCause error
	ctx      ending
	now      time.Time     // when the run was looked at last
	due      time.Time     // when the next try is to begin
	queued   time.Duration // for Slots, which is no time of the run's own
	alarm    *alarm

	charged  int
	resent   bool
	previous time.Duration
	first    spanned // the context of the first try
}

// over ends what the run has begun.
func (r *run) over() {
	r.alarm.rest(r.ctx.parent)
	r.ctx.finish()
}

// loop makes attempts until a decision ends the run.
func (r *run) loop() Stop {
	r.now = r.engine.Now() // a process that does not get on may have lost the whole run by now
	if cut := r.cut(); cut != "" {
		return cut
	}
	r.due = r.started
	for try := (Try{}); ; {
		if !try.Transparent {
			r.charged++
		}
		try.Number = r.charged
		d := r.decide(r.task.Try(r.spanned(r.due), try))
		r.due = r.now.Add(d.Wait)
		r.task.Decided(try, d)
		if d.Stop != "" {
			return d.Stop
		}
		try.Transparent = d.Transparent
		if d.Transparent {
			r.resent = true
			continue
		}
		if cut := r.wait(d.Wait); cut != "" {
			return cut
		}
	}
}

// decide looks at the clock, puts the situation to the pure decision, then asks the budget, which comes last.
func (r *run) decide(o Outcome) Decision {
	r.now = r.engine.Now()
	s := situation{
		policy: r.policy, outcome: o, cut: r.cut(), charged: r.charged, resent: r.resent,
		previous: r.previous, left: r.left(),
	}
	if !o.OK {
		s.chance = r.engine.chance()
	}
	d := decide(s)
	if d.Stop == "" && !d.Transparent && r.bucket != nil && !r.bucket.take(r.now) {
		return Decision{Stop: StopBudget}
	}
	return d
}

// wait waits before another attempt. A wait that is cut gives its token back.
func (r *run) wait(d time.Duration) Stop {
	began, queued := r.engine.Now(), r.queued
	r.rest(d)
	r.now = r.engine.Now()
	r.task.Waited(r.now.Sub(began) - (r.queued - queued))
	r.previous = d
	cut := r.cut()
	if cut != "" && r.bucket != nil {
		r.bucket.giveBack()
	}
	return cut
}

// cut says why the run has already ended, or is empty. The clock is asked beside the context, so that
// an attempt which ends at the very instant of the deadline is judged the same way every time.
func (r *run) cut() Stop {
	cause := r.ctx.why()
	if cause != nil && !errors.Is(cause, ErrDeadline) && !errors.Is(cause, ErrBatchDeadline) {
		return StopCanceled
	}
	if cause == nil && r.left() > 0 {
		return ""
	}
	if r.endCause == ErrBatchDeadline {
		return StopBatchDeadline
	}
	return StopDeadline
}

// cause is why a run was cut that ended with stop; nil when it was not cut.
func (r *run) cause(stop Stop) error {
	switch stop {
	case StopDeadline, StopBatchDeadline:
		return r.endCause
	case StopCanceled:
		err := r.ctx.Err()
		if cause := r.ctx.why(); cause != err {
			return &canceledError{err, cause}
		}
		return err
	}
	return nil
}

// left is how long the run may still last after it was looked at last.
func (r *run) left() time.Duration {
	if r.end.IsZero() {
		return math.MaxInt64
	}
	return r.end.Sub(r.now)
}
