package main

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// slow passes after a second of virtual time, unless the run ends before.
type slow struct{ now, most *int }

func (s slow) Probe(ctx context.Context, _ probe.Try) probe.Attempt {
	*s.now++
	*s.most = max(*s.most, *s.now)
	defer func() { *s.now-- }()
	select {
	case <-time.After(time.Second):
		return probe.Attempt{OK: true, Evidence: probe.Answered}
	case <-ctx.Done():
		reason := probe.ReasonDeadline
		if context.Cause(ctx) != error(retry.ErrBatchDeadline) {
			reason = probe.ReasonCanceled
		}
		return probe.Attempt{Reason: reason, Evidence: probe.Unanswered, Err: context.Cause(ctx)}
	}
}

// slowBatch is n slow probes, one at a time; most tells how many there were at a time.
func slowBatch(n int) (b *batch, most *int) {
	now := 0
	most = new(int)
	b = &batch{engine: &retry.Engine{}, sink: probe.Sinks{}, width: 1}
	for range n {
		p := aProbe("slow", 1)
		p.Prober = slow{&now, most}
		b.probes = append(b.probes, p)
	}
	return b, most
}

func TestBatchIsAsWideAsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, most := slowBatch(5)
		start := time.Now()
		results := b.run(t.Context())
		if took := time.Since(start); took != 5*time.Second || *most != 1 {
			t.Errorf("5 probes of a second, one at a time: took %v, %d at a time", took, *most)
		}
		if n := tallyOf(results); n[probe.Up] != 5 {
			t.Errorf("verdicts: %v, want 5 up", n)
		}
	})
}

// What is finished before the batch's end is kept, what goes on is cut, and what has not begun says so.
func TestBatchEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, _ := slowBatch(3)
		b.engine.End = time.Now().Add(1500 * time.Millisecond)
		results := b.run(t.Context())
		for i, want := range []struct {
			verdict  probe.Verdict
			stop     retry.Stop
			attempts int
		}{{probe.Up, retry.StopSuccess, 1}, {probe.Unknown, retry.StopBatchDeadline, 1}, {probe.Unknown, retry.StopBatchDeadline, 0}} {
			r := results[i]
			if r.Verdict != want.verdict || r.Stop != want.stop || len(r.Attempts) != want.attempts {
				t.Errorf("probe %d: %s, %s, %d attempts; want %v", i, r.Verdict, r.Stop, len(r.Attempts), want)
			}
		}
	})
}

func TestBatchIsInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, _ := slowBatch(3)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(1500*time.Millisecond, func() { cancel(interrupted{}) })
		results := b.run(ctx)
		if canceled(results[0]) || !canceled(results[1]) || !canceled(results[2]) {
			t.Errorf("stops are %s, %s, %s; want the first alone finished", results[0].Stop, results[1].Stop, results[2].Stop)
		}
	})
}

// refused refuses at once, as a closed port does.
type refused struct{}

func (refused) Probe(context.Context, probe.Try) probe.Attempt {
	return probe.Attempt{Reason: probe.ReasonConnectRefused, Transient: true, Evidence: probe.NeverSent, Err: errHostile}
}

// retrying is a probe that makes three attempts, with a second and then two between them.
func retrying(name string, p probe.Prober) *probe.Probe {
	d := aProbe(name, 3)
	d.Prober, d.Policy.Deadline = p, 54*time.Second
	d.Policy.Backoff = retry.Backoff{Base: time.Second, Cap: 10 * time.Second}
	return d
}

// A run that waits to retry keeps nobody from running: many that are down take as long as one.
func TestBatchRunsOthersDuringWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &batch{engine: &retry.Engine{}, sink: probe.Sinks{}, width: 100}
		for range 5000 {
			b.probes = append(b.probes, retrying("refused", refused{}))
		}
		start := time.Now()
		results := b.run(t.Context())
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("5,000 refused probes took %v, want the 3s of one run", took)
		}
		for _, r := range results {
			if r.Verdict != probe.Down || r.Stop != retry.StopAttempts || len(r.Attempts) != 3 {
				t.Fatalf("a refused probe: %s, %s, %d attempts; want down after 3", r.Verdict, r.Stop, len(r.Attempts))
			}
		}
	})
}

// recovering hangs for so long in its first attempts, each a failure, and passes in its last.
type recovering struct {
	hang      time.Duration
	now, most *atomic.Int32
}

func (p recovering) Probe(ctx context.Context, try probe.Try) probe.Attempt {
	p.most.Store(max(p.most.Load(), p.now.Add(1)))
	defer p.now.Add(-1)
	select {
	case <-time.After(p.hang):
	case <-ctx.Done():
		return probe.Attempt{Reason: probe.ReasonDeadline, Evidence: probe.Unanswered, Err: context.Cause(ctx)}
	}
	if try.Number == 3 {
		return probe.Attempt{OK: true, Evidence: probe.Answered}
	}
	return probe.Attempt{Reason: probe.ReasonLimitSockRead, Transient: true, Evidence: probe.Unanswered, Err: errHostile}
}

// What a run waits for others is not its target's: no deadline comes for it, though all wait for one another.
func TestBatchBlamesNoTargetForItsWidth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		b := &batch{engine: &retry.Engine{}, sink: probe.Sinks{}, width: 2}
		for range 20 {
			b.probes = append(b.probes, retrying("recovering", recovering{15 * time.Second, &now, &most}))
		}
		start := time.Now()
		for i, r := range b.run(t.Context()) {
			if r.Verdict != probe.Flaky || len(r.Attempts) != 3 {
				t.Errorf("probe %d: %s, %s, %d attempts; want flaky after 3", i, r.Verdict, r.Stop, len(r.Attempts))
			}
			for _, a := range r.Attempts {
				if a.Waited < a.Wait {
					t.Errorf("probe %d waited %v, want at least %v", i, a.Waited, a.Wait)
				}
			}
		}
		if most.Load() != 2 {
			t.Errorf("%d attempts went at a time, want 2", most.Load())
		}
		if took, work := time.Since(start), 20*3*15*time.Second/2; took < work || took > work+5*time.Second {
			t.Errorf("the batch took %v, want the %v of its attempts and little more", took, work)
		}
	})
}

// The end of a batch is the end of those that wait for others, too.
func TestBatchEndsQueues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int32
		b := &batch{engine: &retry.Engine{End: time.Now().Add(40 * time.Second)}, sink: probe.Sinks{}, width: 1}
		for range 3 {
			b.probes = append(b.probes, retrying("recovering", recovering{15 * time.Second, &now, &most}))
		}
		start := time.Now()
		for i, r := range b.run(t.Context()) {
			if r.Stop != retry.StopBatchDeadline && r.Stop != retry.StopDeadlineWouldPass {
				t.Errorf("probe %d: %s, want the batch's deadline", i, r.Stop)
			}
			if bad := r.Verdict == probe.Down && len(r.Attempts) == 0 || r.Verdict == probe.Up; bad {
				t.Errorf("probe %d is %s after %d attempts", i, r.Verdict, len(r.Attempts))
			}
		}
		if took := time.Since(start); took != 40*time.Second {
			t.Errorf("the batch took %v, want 40s", took)
		}
	})
}
