// Package schedule says when each run of a probe starts. It keeps one heap of due times and one
// goroutine, whatever the number of probes: an idle probe is an entry in the heap and nothing else.
//
// Due times stand on the wall clock (probe.NextDue), so a restart keeps them and probes of one interval
// are spread over it. Between a due time and the start of its run there are these rules:
//
//   - Starts are gathered: what is due within one slot of 4 ms, or of 2 ms when much is due, starts
//     together at its end. Workers make the runs, one at a time each, and are kept for the next ones.
//   - Runs of one probe never overlap: a due time that finds the last run going is skipped.
//   - No more than Options.Concurrency runs go at a time. The others wait in the order in which they
//     became due. One that still waits when the probe is due again is skipped, and its place in the
//     queue goes to the run that is due now, so that short intervals do not starve under overload.
//   - Due times that a stopped process or a step of the clock has passed over become one run. After
//     such a gap the runs do not start in a burst but spread over as long again as the gap was, at most
//     over an interval or a minute.
//   - When the clock steps back, due times move back with it: no probe waits for the clock to catch up.
package schedule

import (
	"context"
	"sync"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// DefaultConcurrency is how many runs go at a time unless Options say otherwise. A run in flight costs
// about 50 KB with its TLS connection, so when every target hangs this many hold half a gigabyte.
const DefaultConcurrency = 10_000

// longestSleep bounds how long the loop sleeps, and so how late it notices that the process was
// suspended or that the clock was set: timers stand on the monotonic clock and know of neither.
const longestSleep = 5 * time.Second

// slotLength is the grid, on the wall clock, on which starts are gathered: a process that sleeps between
// any two of them spends more on waking up than on what it wakes up for. No run is late by more than this
// for it, and its lag says so.
const slotLength = 4 * time.Millisecond

// mostInSlot is how many runs start in a slot before the next is half as long, and half of it in half a
// slot: those that start together wait for each other's turn on the CPU, and a process with so much to do
// hardly sleeps anyway.
const mostInSlot = 12

// Options are what a Scheduler is made with. The zero value of each field will do.
type Options struct {
	// Engine makes the runs; nil is one of the scheduler's own.
	Engine *retry.Engine
	// Sink is told of probes, attempts and results; nil is nobody.
	Sink probe.Sink
	// Meter is told of lag and skipped runs; nil is nobody. Its methods must return at once: they are
	// called while the scheduler waits.
	Meter probe.Meter
	// Concurrency bounds the runs at a time; 0 or less is DefaultConcurrency.
	Concurrency int
	// Punctual has the kernel wake the scheduler, where it can, and not Go's timers, which wait while garbage
	// is collected. It costs a descriptor, and is not for synctest bubbles.
	Punctual bool
}

// Scheduler starts the runs of a set of probes, each when it is due. Apply and Run may be called from
// different goroutines.
type Scheduler struct {
	engine  *retry.Engine
	sink    probe.Sink
	meter   probe.Meter
	clock   clock
	slot    time.Duration // of starts; see slotLength
	bell    bell          // ends the sleep of the loop, also when the top of the heap may have changed
	workers sync.WaitGroup

	applying   sync.Mutex // held over an Apply; guards the set
	set        map[string]*entry
	generation uint32 // counts Applies
	ended      bool   // Run has returned

	mu      sync.Mutex // guards what follows and what entries say it guards; never held over a Sink
	due     alarms
	dense   bool // so much is due that the slot is half as long
	waiting queue
	free    int             // runs that may start
	idle    []*worker       // those without a run, the one that had one last at the end
	ctx     context.Context // of the runs; nil while none may start
}

// New makes a scheduler without probes.
func New(o Options) *Scheduler {
	s := &Scheduler{
		engine: o.Engine, sink: o.Sink, meter: o.Meter, free: o.Concurrency, slot: slotLength,
		bell: newBell(o.Punctual), set: map[string]*entry{},
	}
	if s.engine == nil {
		s.engine = new(retry.Engine)
	}
	if s.sink == nil {
		s.sink = probe.Sinks(nil)
	}
	if s.meter == nil {
		s.meter = noMeter{}
	}
	if s.free <= 0 {
		s.free = DefaultConcurrency
	}
	return s
}

// Run starts runs as they become due, until ctx ends. Then it starts no other, cancels those that go,
// and returns when all have ended, their results have reached the Sink and the probers are closed. It
// may be called once.
func (s *Scheduler) Run(ctx context.Context) {
	s.begin(ctx)
	s.loop(ctx)
	s.dismiss()
	s.workers.Wait()
	s.close()
}

// begin lets runs start. What has become due since it was applied, while none could, is due anew: a start
// that took its time is not followed by a burst.
func (s *Scheduler) begin(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ctx = ctx
	now := s.clock.now()
	s.due.reset(func(e *entry) instant {
		if e.at < now {
			return e.firstDue(now)
		}
		return e.at
	})
}

// loop sleeps until the next due time, over and over.
func (s *Scheduler) loop(ctx context.Context) {
	defer s.bell.close()
	defer context.AfterFunc(ctx, s.bell.ring)()
	for ctx.Err() == nil {
		s.bell.sleep(s.tick())
	}
}

// tick deals with all that is due, and says how long to sleep.
func (s *Scheduler) tick() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, stepped := s.clock.read()
	if stepped { // no probe waits for the clock to catch up
		s.due.reset(func(e *entry) instant { return min(e.at, e.firstDue(now)) })
	}
	came := s.ring(now)
	s.startWaiting()
	return s.sleep(now, came)
}

// ring deals with the alarms whose time has come, and says of how many entries they are. s.mu is held.
func (s *Scheduler) ring(now instant) (came int) {
	late := s.due.late(now)
	for s.due.late(now) >= 0 {
		a := &s.due[0]
		if a.stale() {
			s.due.dropFirst()
			continue
		}
		s.come(a.entry, now, late)
		came++
		a.at = a.entry.at
		s.due.sink(0)
	}
	return came
}

// sleep is how long to sleep after a slot in which so many runs came: until the slot in which the next due
// time falls has ended, so that all that is due in it starts together.
func (s *Scheduler) sleep(now instant, came int) time.Duration {
	if len(s.due) == 0 {
		return longestSleep
	}
	most, slot := mostInSlot, s.slot
	if s.dense {
		most /= 2
	}
	if s.dense = came > most; s.dense {
		slot /= 2
	}
	return min(longestSleep, max(0, s.due[0].at.ceil(slot).sub(now)))
}

// close ends the set: each prober that is a closer is closed.
func (s *Scheduler) close() {
	s.applying.Lock()
	defer s.applying.Unlock()
	s.ended = true
	for _, e := range s.set {
		e.probe.Close()
	}
}

type noMeter struct{}

func (noMeter) Lag(time.Duration)                          {}
func (noMeter) Skipped(*probe.Probe, probe.SkipCause, int) {}
