package schedule

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// world is a scheduler in a bubble with everything that looks at it: it is its Sink and Meter, and
// keeps when runs started.
type world struct {
	*Scheduler
	began time.Time
	stop  func() // ends Run and waits for it

	offset atomic.Int64 // of the wall clock; see step

	mu   sync.Mutex
	seen record
}

// record is what a world has seen.
type record struct {
	events  []string
	starts  map[string][]time.Duration // since began, by probe
	skipped map[string]int             // by "probe cause"
	lags    []time.Duration
	closed  []string // digests of closed probers, sorted
}

// look is what the world has seen so far.
func (w *world) look() record {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := record{
		events: slices.Clone(w.seen.events), starts: maps.Clone(w.seen.starts), skipped: maps.Clone(w.seen.skipped),
		lags: slices.Clone(w.seen.lags), closed: slices.Sorted(slices.Values(w.seen.closed)),
	}
	for name, starts := range r.starts {
		r.starts[name] = slices.Clone(starts)
	}
	return r
}

// inWorld runs f in a bubble with a scheduler that runs; o's Sink and Meter are the world.
func inWorld(t *testing.T, o Options, f func(*world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(o)
		w.run()
		f(w)
		w.stop()
	})
}

func newWorld(o Options) *world {
	w := &world{began: time.Now()}
	w.seen = record{starts: map[string][]time.Duration{}, skipped: map[string]int{}}
	o.Sink, o.Meter = w, w
	w.Scheduler = New(o)
	w.slot = 0 // so that starts are to the nanosecond; slots have tests of their own
	w.clock.offset = func() time.Duration { return time.Duration(w.offset.Load()) }
	return w
}

func (w *world) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		w.Run(ctx)
		close(done)
	}()
	w.stop = func() {
		cancel()
		<-done
	}
}

// until sleeps until the given time since the beginning, and then lets all that is due happen.
func (w *world) until(d time.Duration) {
	time.Sleep(d - time.Since(w.began))
	synctest.Wait()
}

// step sets the wall clock.
func (w *world) step(d time.Duration) { w.offset.Add(int64(d)) }

// probe is a probe whose attempts take long and pass unless they are cut.
func (w *world) probe(name string, interval, long time.Duration) *probe.Probe {
	return w.version(name, "1", interval, long)
}

// version is a probe with a digest of its own.
func (w *world) version(name, digest string, interval, long time.Duration) *probe.Probe {
	return &probe.Probe{
		Name: name, Digest: digest, Interval: interval, Policy: retry.Policy{Attempts: 1},
		Prober: &prober{world: w, name: name, digest: name + digest, long: long},
	}
}

type prober struct {
	world        *world
	name, digest string
	long         time.Duration
}

func (p *prober) Probe(ctx context.Context, _ probe.Try) probe.Attempt {
	p.world.mu.Lock()
	p.world.seen.starts[p.name] = append(p.world.seen.starts[p.name], time.Since(p.world.began))
	p.world.mu.Unlock()
	if p.long == 0 {
		return probe.Attempt{OK: true}
	}
	select {
	case <-time.After(p.long):
		return probe.Attempt{OK: true}
	case <-ctx.Done():
		return probe.Attempt{Reason: probe.ReasonCanceled, Err: context.Cause(ctx)}
	}
}

func (p *prober) Close() error {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	p.world.seen.closed = append(p.world.seen.closed, p.digest)
	return nil
}

func (w *world) event(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.events = append(w.seen.events, fmt.Sprintf(format, args...))
}

func (w *world) Declare(p *probe.Probe) { w.event("declare %s%s", p.Name, p.Digest) }
func (w *world) AttemptDone(p *probe.Probe, _ *probe.Attempt) {
	w.event("attempt %s%s", p.Name, p.Digest)
}
func (w *world) RunDone(r *probe.Result) {
	w.event("%s %s%s", r.Verdict, r.Probe.Name, r.Probe.Digest)
}
func (w *world) Forget(p *probe.Probe) { w.event("forget %s%s", p.Name, p.Digest) }

func (w *world) Lag(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.lags = append(w.seen.lags, d)
}

func (w *world) Skipped(p *probe.Probe, cause probe.SkipCause, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.skipped[p.Name+" "+string(cause)] += n
}

// dues are the due times of a probe since the beginning, up to the given one.
func (w *world) dues(name string, interval, until time.Duration) []time.Duration {
	var dues []time.Duration
	for at := probe.NextDue(name, interval, w.began); at.Sub(w.began) <= until; at = at.Add(interval) {
		dues = append(dues, at.Sub(w.began))
	}
	return dues
}
