package conn

import (
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
		s.most = w.shelf.key.connection.PerHost
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

// waitsForUs is true of a call that has been cut, in a phase, for want of what is ours.
func (c *Call) waitsForUs(at probe.Phase) bool {
	switch at {
	case probe.PhaseQueue:
		return c.x.queued && !c.x.awaited
	case probe.PhaseConnect:
		return c.x.short.is(descriptors)
	}
	return false
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
		return fmt.Sprintf(": connection.per_host allows %d", s.most)
	case s.is(mostConnections):
		return fmt.Sprintf(": --probe.max-connections allows %d", s.most)
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
