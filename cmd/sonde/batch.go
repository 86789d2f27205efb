package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
	"sonde/probe/schedule"
)

// batch runs each of its probes once, as production does. At most width make an attempt at a time: a run that waits
// to retry costs next to nothing, so others go on meanwhile, as many in all as the scheduler lets go at a time.
type batch struct {
	probes []*probe.Probe
	engine *retry.Engine
	sink   probe.Sink
	width  int
}

// newBatch is a batch that begins now and has so much time, all of it for 0, and tells log of its retries.
func newBatch(probes []*probe.Probe, width int, deadline span, log *slog.Logger) *batch {
	b := &batch{probes: probes, engine: &retry.Engine{}, sink: &logSink{log: log, calm: true}, width: width}
	if deadline > 0 {
		b.engine.End = time.Now().Add(time.Duration(deadline))
	}
	return b
}

// watched is run, with the progress where a terminal shows it.
func (b *batch) watched(ctx context.Context, t *terminal) []*probe.Result {
	defer t.settle()
	if t.live {
		p := newProgress(t.err, t.width, b.probes)
		defer p.close()
		b.sink = probe.Sinks{b.sink, p}
	}
	return b.run(ctx)
}

// run returns a result for each probe, in the order of the probes. When ctx has ended, or the engine's
// End has passed, the probes that have not begun are still run, for their results then say so at once.
func (b *batch) run(ctx context.Context) []*probe.Result {
	results := make([]*probe.Result, len(b.probes))
	attempting := &slots{free: max(1, b.width)}
	b.engine.Slots = attempting
	begun := make(chan struct{}, max(b.width, schedule.DefaultConcurrency))
	var runs sync.WaitGroup
	for i, p := range b.probes {
		begun <- struct{}{}
		attempting.Take()
		runs.Go(func() {
			results[i] = p.Run(ctx, b.engine, b.sink)
			attempting.Leave()
			<-begun
		})
	}
	runs.Wait()
	return results
}

// tally counts results by verdict.
type tally map[probe.Verdict]int

func tallyOf(results []*probe.Result) tally {
	n := tally{}
	for _, r := range results {
		n[r.Verdict]++
	}
	return n
}
