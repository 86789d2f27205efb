package main

import (
	"context"
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
