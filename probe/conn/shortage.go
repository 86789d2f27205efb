package conn

import (
	"cmp"
	"fmt"

	"sonde/probe"
)

// shortage is what a call waited for in vain.
type shortage struct {
	by   bound
	most int // how many connections that allows
	// Of descriptors: how many connections had then, how many more the call needed, and how many there are.
	used, needs int
	of          Descriptors
}

// waitedFor is what a waiter that is cut has waited for in the end. The lock is held.
func (n *Network) waitedFor(w *waiter) *shortage {
	by := w.shelf.host.short
	if s := w.shelf; s.h2 && s.making > 0 && !w.fresh {
		by = shares
	}
	s := &shortage{by: by, most: n.options.MaxConnections, used: n.files, needs: w.shelf.files, of: n.options.Descriptors}
	if by == perHost {
		s.most = w.shelf.host.limit()
	}
	return s
}

// gaveUpFor notes what the call has waited for in vain. A connection that another call was making is the
// target's to give; all else is ours.
func (c *Call) gaveUpFor(s *shortage, served bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x.short = s
	if !served {
		c.x.awaited = s.by == shares
	}
}

// gotAfter notes that the call has what it waited for.
func (c *Call) gotAfter(s *shortage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); !c.x.awaited && !c.past(now) {
		c.x.waited = now - c.since
		c.waited += c.x.waited
		c.queue = s
	}
}

// queueShare is what part of its time an attempt must have been queued for the rest to say nothing of the target.
const queueShare = 3

// lacked is what of ours an attempt has lacked that a limit, or the run's end, has cut: in the queue, or for
// another address, or because the queue has left too little of what it is allowed for in. nil is nothing: the
// target has had its time. The call's lock is held.
func (c *Call) lacked(limit *LimitError) *shortage {
	phase, of, waited := c.phase, c.span.End.Sub(c.span.Began), c.waited
	if limit != nil {
		phase, of = limit.Phase, limit.After
		if limit.Limit == probe.LimitConnect {
			waited = c.x.waited
		}
	}
	switch {
	case phase == probe.PhaseQueue && c.x.queued && !c.x.awaited, phase == probe.PhaseConnect && c.x.short != nil:
		return cmp.Or(c.x.short, &shortage{})
	case limit != nil && limit.Limit != probe.LimitTotal && limit.Limit != probe.LimitConnect:
		return nil
	case of > 0 && waited*queueShare > of:
		return c.queue
	}
	return nil
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
	return fmt.Sprintf(": probes hold %d of the %d file descriptors%s that they may have, and this one needs %d more: "+
		"raise the limit of open files (ulimit -n, LimitNOFILE=)", s.used, s.of.Spare, process, s.needs)
}
