package main

import (
	"context"
	"io"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/metrics"
	"sonde/probe/retry"
	"sonde/probe/status"
)

// idler is a prober that does nothing.
type idler struct{}

func (idler) Probe(context.Context, probe.Try) probe.Attempt {
	return probe.Attempt{OK: true, Evidence: probe.Answered, Repeatable: true, Phases: [probe.NumPhases]time.Duration{probe.PhaseWait: time.Millisecond}}
}

// BenchmarkRun is what a run costs that is no attempt: the engine, with a deadline, and all sinks of the
// command run, nothing of which is logged.
func BenchmarkRun(b *testing.B) {
	sinks := probe.Sinks{metrics.New(metrics.Build{}), status.New("1"), &logSink{log: logFlags{Level: "info", Format: "logfmt"}.newLogger(io.Discard)}}
	p := &probe.Probe{
		Name: "home", Kind: "http", Target: "http://127.0.0.1/", Host: "127.0.0.1:80", Interval: time.Minute, Prober: idler{},
		Policy: retry.Policy{Attempts: 4, Transparent: 1, Deadline: 54 * time.Second},
	}
	sinks.Declare(p)
	e, ctx := &retry.Engine{}, b.Context()
	b.ReportAllocs()
	for b.Loop() {
		p.Run(ctx, e, sinks)
	}
}
