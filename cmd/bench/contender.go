package main

import (
	"context"
	"fmt"
	"net"
	"time"
)

// contender is a way to probe that is measured.
type contender interface {
	name() string
	// start begins to probe the targets; it returns once probing can begin. It is called from the main
	// goroutine.
	start(ctx context.Context, s scene) (running, error)
}

// scene is what a contender finds: which targets, where, and how to reach them.
type scene struct {
	load
	pattern
	port int
	dir  string // for files of its own
}

// running is a contender at work.
type running interface {
	// process is the one whose CPU and memory count.
	process() *process
	// mark begins the window.
	mark() error
	// finish adds what the contender knows of itself at the end of the window.
	finish(ctx context.Context, s *sample) error
	stop()
}

// sample is what one round tells of one contender. What is unknown is nothing.
type sample struct {
	scheduled, done  number // a second
	connections      number // made for each probe
	cpu              number // seconds a probe
	rest, peak       number // bytes
	late             spread // as the server saw it
	gap              spread // as the server saw it
	lag              spread // as the contender says itself
	duration         number // the median attempt, in seconds
	failures         number // of targets that were healthy all the time
	down             number // runs that called a healthy target down
	unknown, skipped number // runs that said nothing, and runs that were not begun
	reasons          string // of the failures
	scrapeBytes      number
	scrapeTime       number // seconds
	scrapeCPU        number // seconds
	first            number // seconds from the start of the process to the first request
	ready            number // seconds from the start of the process until it is ready
	startCPU         number // seconds until it is ready
	seen             number // share of the targets that were probed at all
	scrapes          number // that ended while it was measured
	unscraped        number // those of them that failed
}

func newSample() *sample {
	none := spread{P50: nothing, P99: nothing, Max: nothing}
	return &sample{
		nothing, nothing, nothing, nothing, nothing, nothing, none, none, none, nothing, nothing, nothing, nothing, nothing,
		"", nothing, nothing, nothing, nothing, nothing, nothing, nothing,
		nothing, nothing,
	}
}

// keepsUp is whether nearly all was done that was due.
func (s *sample) keepsUp() bool { return s.done > .95*s.scheduled }

// freeAddress is an address on loopback that nobody listens on at the moment.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("finding a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
