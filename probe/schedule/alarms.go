package schedule

import (
	"math"
	"time"
)

// alarm says when the loop looks at an entry next. It has the time in it, so that to find the first of a
// hundred thousand reads no entry but the one that it leads to.
type alarm struct {
	at    instant
	entry *entry
}

// stale is true of an alarm that was set before its entry was changed or removed: another one holds.
func (a alarm) stale() bool { return a.entry.probe == nil || a.entry.at != a.at }

// alarms is a heap, the next alarm first: the children of the one at i are at 4i+1 to 4i+4. Every entry of
// the set has one, also while its run waits or goes. An entry does not know where its own stands, so one
// that holds no more stays until its time has come, or sweep takes it away.
type alarms []alarm

// late is by how much the first one's time has passed: below 0 while it has not come.
func (h alarms) late(now instant) time.Duration {
	if len(h) == 0 {
		return -math.MaxInt64
	}
	return now.sub(h[0].at)
}

// set adds the alarm of an entry.
func (h *alarms) set(e *entry) {
	*h = append(*h, alarm{})
	list := *h
	i := len(list) - 1
	for i > 0 && e.at < list[(i-1)/4].at {
		list[i] = list[(i-1)/4]
		i = (i - 1) / 4
	}
	list[i] = alarm{e.at, e}
}

// dropFirst takes the first one away.
func (h *alarms) dropFirst() {
	list := *h
	last := len(list) - 1
	list[0], list[last] = list[last], alarm{}
	*h = list[:last]
	h.sink(0)
}

// sink moves the one at i down to where it belongs.
func (h alarms) sink(i int) {
	if i >= len(h) {
		return
	}
	a := h[i]
	for {
		next := h.firstChild(i)
		if next < 0 || h[next].at >= a.at {
			h[i] = a
			return
		}
		h[i] = h[next]
		i = next
	}
}

// firstChild is the earliest child of the one at i; -1 when it has none.
func (h alarms) firstChild(i int) int {
	from := 4*i + 1
	if from >= len(h) {
		return -1
	}
	first := from
	for j := from + 1; j < min(from+4, len(h)); j++ {
		if h[j].at < h[first].at {
			first = j
		}
	}
	return first
}

// reset gives every entry the time that to says it is due.
func (h *alarms) reset(to func(*entry) instant) {
	h.sweep()
	for i, a := range *h {
		if at := to(a.entry); at != a.at {
			a.entry.at, a.entry.due = at, at
			(*h)[i].at = at
		}
	}
	h.order()
}

// sweep takes away all that are stale.
func (h *alarms) sweep() {
	kept := (*h)[:0]
	for _, a := range *h {
		if !a.stale() {
			kept = append(kept, a)
		}
	}
	clear((*h)[len(kept):])
	*h = kept
	h.order()
}

// order makes a heap of what is in no order.
func (h alarms) order() {
	for i := len(h)/4 + 1; i >= 0; i-- {
		h.sink(i)
	}
}
