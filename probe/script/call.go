package script

import (
	"context"
	"errors"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/retry"
)

// The limits by number; total comes first, so that it wins a tie.
const (
	total = iota
	connect
	sockConnect
	sockRead
	numLimits
)

var limitNames = [numLimits]probe.Limit{probe.LimitTotal, probe.LimitConnect, probe.LimitSockConnect, probe.LimitSockRead}

// call is one attempt in progress: a conn.Caller.
type call struct {
	net    *Network
	parent context.Context
	index  int  // of the attempt in the script
	first  bool // it is the run's first
	hop    int  // counts the requests
	step   *Step

	start, since time.Duration
	phase        probe.Phase
	phases       [probe.NumPhases]time.Duration
	length, due  [numLimits]time.Duration // due is 0 where a limit does not run
	cut          error                    // what has ended the attempt, nil while nothing has
	cutReason    probe.Reason
	fault        *fault // what the endpoint has done to end it

	link      *connection
	reused    bool
	raw       bool // a protocol of the kind's own
	refused   bool
	written   bool
	received  bool
	body      *body
	address   string
	dialing   string
	proxying  string      // what is done with a proxy, in conn's words
	route     *conn.Route // of the exchange, once there is a connection
	addresses []probe.AddressError
	facts     *probe.TLSFacts
}

// Now is the time of the script.
func (c *call) Now() time.Time { return c.net.clock.Now() }

// RemoteAddress is the address of the last exchange.
func (c *call) RemoteAddress() string { return c.address }

// run starts a limit anew; rest stops it.
func (c *call) run(i int) {
	c.due[i] = 0
	if c.length[i] > 0 {
		c.due[i] = c.net.clock.after(c.length[i])
	}
}

func (c *call) rest(i int) { c.due[i] = 0 }

// enter moves the attempt into a phase.
func (c *call) enter(p probe.Phase) {
	now := c.net.clock.now
	c.phases[c.phase] += now - c.since
	c.phase, c.since = p, now
}

// next is the limit that is due first, numLimits when none runs.
func (c *call) next() (limit int, at time.Duration) {
	limit, at = numLimits, never
	for i, due := range c.due {
		if due > 0 && due < at {
			limit, at = i, due
		}
	}
	return limit, at
}

// wait moves the clock by d, and is what cut the attempt when something did before: the run's end or, if
// that does not come at the same instant, a limit. What comes at the very end of d is let happen first.
func (c *call) wait(d time.Duration) error {
	end := c.net.clock.after(d)
	for c.ended() == nil && c.net.clock.now < end {
		limit, due := c.next()
		timer := c.net.clock.next()
		if min(due, timer) >= end {
			if end == never {
				return c.forever()
			}
			c.net.clock.now = end
			return nil
		}
		c.net.clock.to(min(due, timer))
		if c.ended() == nil && due <= c.net.clock.now {
			c.cut = &conn.LimitError{Limit: limitNames[limit], After: c.length[limit], Phase: c.phase, Doing: c.doing()}
			if c.cutReason = limitNames[limit].Reason(); c.phase == probe.PhaseQueue {
				c.cutReason = probe.ReasonPoolTimeout
			}
		}
	}
	return c.cut
}

// ended is what has cut the attempt. The run's end wins a tie.
func (c *call) ended() error {
	if c.cut == nil && c.parent.Err() != nil {
		c.cut, c.cutReason = context.Cause(c.parent), probe.ReasonCanceled
		if errors.Is(c.cut, retry.ErrDeadline) || errors.Is(c.cut, retry.ErrBatchDeadline) {
			c.cutReason = probe.ReasonDeadline
		}
	}
	return c.cut
}

// hang waits for what does not come.
func (c *call) hang() error { return c.wait(never) }

// forever gives up a run that no limit and no deadline would end.
func (c *call) forever() error {
	c.complain("", "never ends: no limit runs here, and the run has no deadline")
	c.net.giveUp(errForever)
	return c.ended()
}

// complain tells that a key of the step has no effect, or a bad one.
func (c *call) complain(key, format string, args ...any) {
	place := stepPlace(c.net.test, c.index, c.stepIndex())
	if key != "" {
		place += "." + key
	}
	c.net.complain(place, format, args...)
}

// stepIndex is which step of the attempt is played.
func (c *call) stepIndex() int { return max(0, min(c.hop, len(c.net.test.Script[c.index]))-1) }

// End ends the attempt and returns its record.
func (c *call) End(err error) probe.Attempt {
	cut := c.ended()
	if err != nil && cut != nil {
		err = cut
	}
	if c.body != nil {
		c.body.end(err == nil)
	}
	c.enter(c.phase)
	a := probe.Attempt{
		OK: err == nil, Err: err, Phase: c.phase, Phases: c.phases, Evidence: c.evidence(),
		RemoteAddress: c.address, Addresses: c.addresses, Reused: c.reused, TLS: c.facts,
	}
	if err == nil {
		a.Phase = 0
		if c.link != nil && !c.raw {
			a.Evidence = probe.Answered
		}
		return a
	}
	c.judge(&a, cut)
	var limit *conn.LimitError
	if errors.As(err, &limit) {
		a.Limit, a.Phase = limit.Limit, limit.Phase
	}
	a.Stale = a.Reason == probe.ReasonStaleConnection
	return a
}

// doing is what the attempt does, in conn's words.
func (c *call) doing() string {
	switch {
	case c.proxying != "":
		return c.proxying
	case c.phase == probe.PhaseConnect:
		return "connecting to " + c.dialing
	case c.raw:
		return "waiting for what the peer says"
	}
	return conn.Doing(c.phase)
}

// evidence is how far the request got.
func (c *call) evidence() probe.Evidence {
	switch {
	case c.link == nil:
		return probe.NeverSent
	case c.refused:
		return probe.Refused
	case c.received:
		return probe.Answered
	case c.written:
		return probe.Unanswered
	}
	return probe.NeverSent
}

// judge names why the attempt failed: what cut it, what the kind has found, what the endpoint did.
func (c *call) judge(a *probe.Attempt, cut error) {
	var f *conn.Failure
	switch {
	case cut != nil:
		a.Reason, a.Transient = c.cutReason, c.cutReason.Transient()
		if a.Reason == probe.ReasonDeadline {
			a.Err = probe.Reworded(a.Err, a.Err.Error()+" while "+c.doing())
		}
	case errors.As(a.Err, &f):
		a.Reason, a.Transient = f.Reason, f.Transient
	case c.fault != nil:
		a.Reason, a.Transient, a.Err = c.fault.reason, c.fault.reason.Transient(), c.fault.err
	default:
		a.Reason = probe.ReasonConfig
	}
}
