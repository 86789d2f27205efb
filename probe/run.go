package probe

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"sonde/probe/retry"
)

// Run makes one run of the probe and tells the sink of each attempt and of the result. It is the one
// road from a definition to what is counted and shown; run and once share it. A panic in the prober is
// a failed attempt, not the end of the process. A result that a batch's end kept from beginning has no
// attempts.
func (p *Probe) Run(ctx context.Context, e *retry.Engine, sink Sink) *Result {
	r := &running{probe: p, engine: e, sink: sink, key: NewKey()}
	r.result.Probe, r.result.Attempts = p, r.first[:0:1]
	r.result.judge(e.Run(ctx, &p.Policy, p.Host, r))
	r.rest()
	sink.RunDone(&r.result)
	return &r.result
}

// running is the task of one run: it turns the engine's tries into attempts and keeps them. It has the
// result in it, and room for the one attempt that most runs make, so that a run is one piece of memory.
type running struct {
	probe     *Probe
	engine    *retry.Engine
	sink      Sink
	key       Key
	result    Result
	first     [1]Attempt
	ambiguous bool // the next attempt repeats an unanswered request that is not safe to repeat
	resent    bool // an earlier attempt was unanswered
}

// Try makes one attempt.
func (r *running) Try(ctx context.Context, t retry.Try) retry.Outcome {
	started := r.engine.Now()
	a := r.attempt(ctx, Try{Number: t.Number, Key: r.key, Fresh: t.Transparent || r.lost()})
	a.Number, a.Transparent, a.Started = t.Number, t.Transparent, started
	a.settle()
	a.mask(r.probe.Secrets)
	a.measure(r.engine.Now().Sub(started))
	if override, ok := r.probe.Transient[a.Reason]; ok && !a.OK {
		a.Transient = override
	}
	a.Ambiguous = r.ambiguous
	if a.HTTP != nil {
		a.HTTP.AfterResend = r.resent
	}
	r.resent = r.resent || a.Evidence == Unanswered && !a.OK
	r.result.Attempts = append(r.result.Attempts, a)
	return a.outcome()
}

// lost is true when the attempt before lost its connection without an answer: what else is kept of the
// host is in doubt then, and the next attempt is not to be blamed for it.
func (r *running) lost() bool {
	last := r.result.Last()
	return last != nil && (last.Reason == ReasonDisconnected || last.Reason == ReasonStaleConnection)
}

// attempt calls the prober and turns a panic into a failed attempt.
func (r *running) attempt(ctx context.Context, t Try) (a Attempt) {
	defer func() {
		if v := recover(); v != nil {
			// How far the attempt got is not known; unanswered is the evidence that promises nothing.
			a = Attempt{Reason: ReasonInternal, Evidence: Unanswered, Err: Panicked(v)}
		}
	}()
	return r.probe.Prober.Probe(ctx, t)
}

// Decided completes the attempt that has just ended, and hands it on.
func (r *running) Decided(_ retry.Try, d retry.Decision) {
	a := r.result.Last()
	a.Wait, a.WaitSource = d.Wait, d.Source
	r.ambiguous = d.Ambiguous
	r.sink.AttemptDone(r.probe, a)
}

// Waited keeps how long was really waited after the last attempt.
func (r *running) Waited(d time.Duration) { r.result.Last().Waited = d }

// PanicError is what a prober panicked with, be it on a goroutine that it had begun.
type PanicError struct {
	Value any
	Stack []byte
}

// Panicked is a panic whose value v has been recovered, with the stack of where it was; so it is called by who is
// deferred. What is panicked with once more, on the goroutine that it is handed to, stays what it is.
func Panicked(v any) *PanicError {
	if p, ok := v.(*PanicError); ok {
		return p
	}
	return &PanicError{Value: v, Stack: debug.Stack()}
}

// Error is the value, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("the prober panicked: %v", e.Value) }
