package main

import (
	"context"
	"fmt"
)

// bare is the bare net/http loop: what a probe costs at least, if nothing is known of it but whether
// it was answered.
type bare struct{}

func (bare) name() string { return "bare loop" }

func (bare) start(ctx context.Context, s scene) (running, error) {
	p, err := startChild(ctx, "child-loop", setup{
		Targets: s.targets, Interval: s.interval, Port: s.port, Fresh: s.pattern == fresh,
	}, nil)
	if err != nil {
		return nil, err
	}
	return &bareRunning{p}, nil
}

type bareRunning struct{ loop *process }

func (r *bareRunning) process() *process { return r.loop }
func (r *bareRunning) mark() error       { return r.loop.ask("mark", nil) }
func (r *bareRunning) stop()             { r.loop.stop() }

func (r *bareRunning) finish(_ context.Context, s *sample) error { return addLoop(r.loop, s) }

// addLoop adds what a loop knows.
func addLoop(loop *process, s *sample) error {
	var report loopReport
	if err := loop.ask("report", &report); err != nil {
		return err
	}
	s.lag, s.duration = report.Lag, report.Duration.P50
	s.failures, s.skipped = number(report.Failed), number(report.Missed)
	if report.Failed > 0 {
		s.reasons = fmt.Sprintf("%d not answered or called failed", report.Failed)
	}
	return nil
}
