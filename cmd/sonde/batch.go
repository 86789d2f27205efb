package main

import (
	"context"
	"sync"

	"sonde/probe"
	"sonde/probe/retry"
)

// batch runs each of its probes once, as production does, at most width at a time.
type batch struct {
	probes []*probe.Probe
	engine *retry.Engine
	sink   probe.Sink
	width  int
}

// run returns a result for each probe, in the order of the probes. When ctx has ended, or the engine's
// End has passed, the probes that have not begun are still run, for their results then say so at once.
func (b *batch) run(ctx context.Context) []*probe.Result {
	results := make([]*probe.Result, len(b.probes))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(max(1, b.width), len(b.probes)) {
		workers.Go(func() {
			for i := range next {
				results[i] = b.probes[i].Run(ctx, b.engine, b.sink)
			}
		})
	}
	for i := range b.probes {
		next <- i
	}
	close(next)
	workers.Wait()
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
