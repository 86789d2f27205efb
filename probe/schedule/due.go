package schedule

import (
	"container/heap"
	"math"
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

// dueHeap is a container/heap of entries, the next one first. Every entry of the set is in it, also
// while its run waits or goes: it holds when the entry is due next.
type dueHeap []*entry

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].position, h[j].position = i, j
}

// Push implements heap.Interface.
func (h *dueHeap) Push(x any) {
	e := x.(*entry)
	e.position = len(*h)
	*h = append(*h, e)
}

// Pop implements heap.Interface.
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return e
}

// late is by how much the first entry's time has passed: below 0 while it has not come.
func (h dueHeap) late(now instant) time.Duration {
	if len(h) == 0 {
		return -math.MaxInt64
	}
	return now.sub(h[0].at)
}

// rewind moves due times back after the clock has stepped back.
func (h *dueHeap) rewind(now instant) {
	for _, e := range *h {
		if due := e.firstDue(now); due < e.at {
			e.at, e.due = due, due
		}
	}
	heap.Init(h)
}
