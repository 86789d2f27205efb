package conn

import (
	"errors"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// End ends the attempt and returns its record: reason, evidence, phases, limit, addresses, TLS facts.
// err is nil for an attempt that passed, what RoundTrip, the body or the connection returned, or a
// *Failure of the kind's own; a prober that panics ends the attempt, too, with any error, so that nothing of it
// is left open; what cut the attempt (a limit, the run's end) beats it. What passed was not
// cut: how late we were to hear of it says nothing of the target. But a panic on a goroutine that served the attempt
// beats all, and makes it ReasonInternal. The first End counts, even one that panics;
// another does nothing, and returns the zero Attempt.
func (c *Call) End(err error) probe.Attempt {
	if c.ended {
		return probe.Attempt{}
	}
	defer c.over()
	defer c.salvage()
	now := c.now()
	cut := c.settle(now)
	if cut != nil && err != nil {
		err = cut
	}
	if c.body != nil && !c.body.done {
		c.body.end(err == nil)
		now = c.now()
	}
	if c.own != nil {
		c.own.Close()
	}
	c.salvage()
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.panicked(err); p != nil {
		err, cut = p, p
	}
	c.closePhase(now, cut == nil && err != nil)
	a := c.record(now, err, cut)
	c.ended = true // so that a panic from now on is not the attempt's, which has been told
	return a
}

// closePhase ends the phase in which the attempt ended; failed is true when it did so by itself. The lock is held.
func (c *Call) closePhase(now time.Duration, failed bool) {
	if failed && c.phase == probe.PhaseWrite && !c.x.raw && c.spoken() {
		c.writeOver(now)
	}
	c.enter(c.phase, now)
}

// spoken is true when the peer has had its say on the request: it has answered or refused it, or reset its stream.
// What has that is not writing any more, whether it was heard of before the request was written or after: a server
// may well speak first. The lock is held.
func (c *Call) spoken() bool {
	if e := c.evidence(); e == probe.Answered || e == probe.Refused || c.spurned() {
		return true
	}
	l := c.x.link
	return l != nil && l.h2 && l.frames.fateOf(c.x.stream).stream.reset
}

// over lets go of what the call has besides a connection.
func (c *Call) over() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	c.net.watch.leave()
	c.unwatch()
	if t := c.limits.timer; t != nil {
		c.limits.timer = nil // it may be another call's from now on
		c.net.rest(t)
	}
	c.cutBy(&errEnded)
}

// salvage gives back a connection that a panic has left in the midst of an exchange. The record is made after that:
// it asks the frames, with the call's lock held, and so whoever reads them must know nothing of the call any more.
func (c *Call) salvage() {
	if l := c.x.link; l != nil && !c.x.left && !c.x.raw {
		c.leave(l, false)
	}
}

// settle is what has cut the attempt, whose last word it is. The socket is still open.
func (c *Call) settle(now time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	cut := c.cutAt(now)
	if errors.Is(cut, retry.ErrDeadline) {
		c.judgeEnd()
	}
	return cut
}

// errEnded is the cause of a call's context after its end.
var errEnded = errors.New("the attempt has ended")

// record is the attempt as of now; err is why it failed, and cut what has cut it. The lock is held.
func (c *Call) record(now time.Duration, err, cut error) probe.Attempt {
	a := probe.Attempt{
		OK: err == nil, Err: err, Phase: c.phase, Phases: c.phases, Evidence: c.evidence(),
		RemoteAddress: c.address, Addresses: c.addresses, Reused: c.x.reused, TLS: c.facts,
	}
	a.Late = c.lateness(now, cut)
	if err == nil {
		a.Phase = 0
		if c.x.link != nil && !c.x.raw {
			a.Evidence = probe.Answered // also of an answer that came at the run's end, when nothing counts any more
		}
		return a
	}
	if a.Evidence == probe.NeverSent && a.Phase == probe.PhaseWait && !c.x.raw {
		a.Phase = probe.PhaseWrite // the HTTP/2 client calls a request written that is still in its buffer
	}
	a.Reason, a.Transient = c.classify(err, cut)
	if a.Reason == probe.ReasonInternal && c.x.link != nil && a.Evidence != probe.Answered {
		a.Evidence = probe.Unanswered // it may be the counting itself that has panicked
	}
	a.Err = c.tell(a.Reason, err, cut)
	var limit *LimitError
	if errors.As(err, &limit) {
		a.Limit, a.Phase = limit.Limit, limit.Phase
	}
	a.Stale = a.Reason == probe.ReasonStaleConnection
	return a
}
