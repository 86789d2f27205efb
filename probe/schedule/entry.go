package schedule

import (
	"sync"
	"time"

	"sonde/probe"
)

// entry is a probe's place in the running set. It stays when the probe is changed, and dies when it is
// removed. Its fields are guarded by Scheduler.mu unless they say otherwise.
type entry struct {
	// probe is nil once it is removed. Only Apply writes it, so Apply may read it without mu.
	probe *probe.Probe
	// at is when the loop looks at the entry next, and due the due time that it then deals with; they
	// differ only when the run was put off after a stall.
	at, due  instant
	waitsFor instant // the due time of the run that waits
	behind   *entry  // the next in the queue

	running *probe.Probe // the definition under which a run goes; nil when none does
	worker  *worker      // that makes that run

	begun      bool   // a run of it has started
	waiting    bool   // it is in the queue
	generation uint32 // the last Apply that had the probe; guarded by Scheduler.applying
	gate       gate   // has a lock of its own
}

// nextDue is the probe's next due time after now.
func (e *entry) nextDue(now instant) instant {
	if next := e.due.add(e.probe.Interval); e.probe.Interval <= time.Minute && e.due <= now && next > now {
		return next // due times of up to a minute apart stand on the grid from the first on
	}
	return instant(probe.NextDue(e.probe.Name, e.probe.Interval, now.time()).UnixNano())
}

// firstDue is nextDue, but soon for a probe that has not run yet.
func (e *entry) firstDue(now instant) instant {
	if e.begun {
		return e.nextDue(now)
	}
	return instant(probe.FirstDue(e.probe.Name, e.probe.Interval, now.time()).UnixNano())
}

// spread is when a run that a stall has delayed may start: a place of the entry's own within as long
// again as the stall was, and within an interval and a minute.
func (e *entry) spread(now instant, stall time.Duration) instant {
	return instant(probe.FirstDue(e.probe.Name, min(stall, e.probe.Interval), now.time()).UnixNano())
}

// queue holds the entries whose run is due and has no slot yet, in the order in which they came.
type queue struct{ first, last *entry }

func (q *queue) push(e *entry) {
	e.waiting = true
	if q.first == nil {
		q.first, q.last = e, e
		return
	}
	q.last.behind, q.last = e, e
}

// pop takes the first entry; nil when there is none. It passes over those that were removed meanwhile.
func (q *queue) pop() *entry {
	for e := q.first; e != nil; e = q.first {
		q.first, e.behind = e.behind, nil
		e.waiting = false
		if e.probe != nil {
			return e
		}
	}
	return nil
}

// gate hands on to the Sink until it is shut, so that nothing of a removed probe comes after Forget,
// and never two things of one probe at a time.
type gate struct {
	probe.Sink
	seat probe.Seat // the probe's with the Sink; nil until it is declared
	mu   sync.Mutex
	shut bool
}

// AttemptDone hands on.
func (g *gate) AttemptDone(p *probe.Probe, a *probe.Attempt) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.shut {
		g.seat.AttemptDone(p, a)
	}
}

// RunDone hands on.
func (g *gate) RunDone(r *probe.Result) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.shut {
		g.seat.RunDone(r)
	}
}

// Declare hands on.
func (g *gate) Declare(p *probe.Probe) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.shut {
		g.Sink.Declare(p)
		if g.seat == nil {
			g.seat = probe.SeatOf(g.Sink, p)
		}
	}
}

// Forget hands on, and shuts the gate.
func (g *gate) Forget(p *probe.Probe) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.shut {
		g.shut = true
		g.Sink.Forget(p)
	}
}
