package conn

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"sonde/probe"
)

// shortage is what a call waited for in vain.
type shortage struct {
	by   bound
	most int // how many connections that allows
	// Of descriptors: how many connections had then, how many more the call needed, and how many there are.
	used, needs int
	before      int // above 0: there would be enough, but another host that needs so many waits before it
	of          Descriptors
}

// queued is what time has gone by in the queue for what is ours to give. A connection that another call was making
// is the target's to give.
type queued struct {
	waited  time.Duration // in all
	longest time.Duration // for one thing
	short   *shortage     // that thing; nil while nothing was waited for
}

func (q *queued) add(d time.Duration, s *shortage) {
	q.waited += d
	if q.short == nil || d > q.longest {
		q.longest, q.short = d, s
	}
}

// awaits is what a waiter waits for: what keeps back the head of its queue, or a connection that is being made and
// that it can share. The lock is held.
func (w want) awaits() bound {
	if s := w.shelf; s.h2 && s.making > 0 && !w.fresh {
		return shares
	}
	return w.shelf.host.short
}

// waits notes what a want waits for from now on, unless it is what it has waited for. The lock is held.
func (n *Network) waits(w want, by bound) {
	c := w.call
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.x.waits.is(by) {
		return
	}
	now := c.now()
	c.waited(now)
	s := &shortage{by: by, most: n.options.MaxConnections, used: n.files, needs: w.shelf.files, of: n.options.Descriptors}
	switch first := n.before(w.shelf.host); {
	case by == perHost:
		s.most = w.shelf.host.limit()
	case by == descriptors && first != nil && !n.lacks(w.shelf.files):
		s.before = first.shelf.files
	}
	c.x.waits, c.x.waitsFrom, c.x.awaited = s, now, by == shares
}

// waited books the wait that has gone on until now, if there is one, in the run's time. The call's lock is held.
func (c *Call) waited(now time.Duration) {
	s := c.x.waits
	if c.x.waits = nil; s == nil || s.by == shares {
		return
	}
	if c.past(now) {
		now = c.ends
	}
	d := max(0, now-c.x.waitsFrom)
	c.x.queue.add(d, s)
	c.queue.add(d, s)
}

// waitIsOver notes that the call has what it has waited for, or waits no longer.
func (c *Call) waitIsOver() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waited(c.now())
}

// queueShare is what part of its time an attempt must have been queued for the rest to say nothing of the target.
const queueShare = 3

// lacked is what of ours an attempt has lacked that a limit, or the run's end, has cut: in the queue, or for
// another address, or because the queue has left too little of what it is allowed for in. nil is nothing: the
// target has had its time. The call's lock is held.
func (c *Call) lacked(limit *LimitError) *shortage {
	phase, of, queue := c.phase, c.span.End.Sub(c.span.Began), c.queueOf(limit)
	if limit != nil {
		phase, of = limit.Phase, limit.After
	}
	switch {
	case phase == probe.PhaseQueue && c.x.queued && !c.x.awaited:
		return cmp.Or(c.x.queue.short, &shortage{})
	case phase == probe.PhaseConnect && c.x.short != nil:
		return c.x.short
	case limit != nil && limit.Limit != probe.LimitTotal && limit.Limit != probe.LimitConnect:
		return nil
	case of > 0 && queue.waited*queueShare > of:
		return queue.short
	}
	return nil
}

// queueOf is the queueing in what a limit, or the run's end, bounds. The call's lock is held.
func (c *Call) queueOf(limit *LimitError) *queued {
	if limit != nil && limit.Limit == probe.LimitConnect {
		return &c.x.queue
	}
	return &c.queue
}

func (s *shortage) is(by bound) bool { return s != nil && s.by == by }

// reason names a wait in vain: descriptors are what the machine does not give, all else is what somebody has set.
func (s *shortage) reason() probe.Reason {
	if s.is(descriptors) {
		return probe.ReasonLocalResource
	}
	return probe.ReasonPoolTimeout
}

// words say what to mend, after what was waited for; empty where that is not known.
func (s *shortage) words() string {
	switch {
	case s.is(perHost):
		return fmt.Sprintf(": connection.per_host allows %d; raise it, or have the probes of this host take less time", s.most)
	case s.is(mostConnections):
		return fmt.Sprintf(": --probe.max-connections allows %d; raise it", s.most)
	case s.is(descriptors):
		return s.ofDescriptors()
	}
	return ""
}

func (s *shortage) ofDescriptors() string {
	process := ""
	if s.of.Limit > 0 {
		process = fmt.Sprintf(" of the process's %d", s.of.Limit)
	}
	who := fmt.Sprintf("this one needs %d more", s.needs)
	if s.before > 0 {
		who = fmt.Sprintf("another host, which needs %d more, waits before this one", s.before)
	}
	return fmt.Sprintf(": probes hold %d of the %d file descriptors%s that they may have, and %s: "+
		"raise the limit of open files (ulimit -n, LimitNOFILE=)", s.used, s.of.Spare, process, who)
}

// queuedUntil is what a limit, or a run's end, does not say of the queue that the attempt was in.
func (c *Call) queuedUntil(cut error) string {
	var limit *LimitError
	errors.As(cut, &limit)
	queue := c.queueOf(limit)
	switch {
	case limit == nil && c.phase == probe.PhaseQueue:
		return " while the attempt was queued for a connection"
	case limit != nil && limit.Phase == probe.PhaseQueue:
	case c.lack == queue.short:
		return fmt.Sprintf(", after %v in the queue for a connection", queue.waited.Round(time.Millisecond))
	}
	return ""
}
