package schedule

import (
	"time"

	"sonde/probe"
)

// longStall is how late the loop must be for the runs that it finds due to be spread instead of
// started at once.
const longStall = 500 * time.Millisecond

// come deals with an entry whose time has come while the loop is late by late: a run of it becomes due
// or is put off, and the entry gets its next time. s.mu is held.
func (s *Scheduler) come(e *entry, now instant, late time.Duration) {
	next := e.nextDue(now)
	putOff := e.at != e.due
	if latest := next.add(-e.probe.Interval); latest > e.due {
		missed := (latest.sub(e.due) + e.probe.Interval - 1) / e.probe.Interval
		s.meter.Skipped(e.probe, probe.SkipClock, int(missed))
		e.due = latest
	}
	if late <= longStall || putOff {
		s.becomeDue(e)
	} else if at := e.spread(now, late); at < next {
		e.at = at
		return
	} else {
		s.meter.Skipped(e.probe, probe.SkipClock, 1)
	}
	e.at, e.due = next, next
}

// becomeDue puts a run of the entry into the queue, unless one is there or going. s.mu is held.
func (s *Scheduler) becomeDue(e *entry) {
	switch {
	case e.running != nil:
		s.meter.Skipped(e.probe, probe.SkipOverlap, 1)
	case e.waiting:
		s.meter.Skipped(e.probe, probe.SkipOverload, 1)
		e.waitsFor = e.due
	default:
		e.waitsFor = e.due
		s.waiting.push(e)
	}
}
