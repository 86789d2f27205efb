package conn

import (
	"errors"
	"slices"
	"time"

	"sonde/probe"
)

// late is by how much the process has been late since the call began.
func (c *Call) late() lateness { return c.lateAt(c.now()) }

func (c *Call) lateAt(now time.Duration) lateness {
	return c.net.watch.late(c.after + now).since(c.lateBefore)
}

// unstarved is the clock on which the limits run. It stands still while we do not get on. Where that is many
// little pieces a target on this machine has lost the same again, and the clock runs at an eighth of the pace of
// time at the least, so that no starvation keeps a limit from firing; after a long stall it does not, for then we
// get on again, and the target has its time.
func (c *Call) unstarved() time.Duration { return c.unstarvedAt(c.now()) }

// unstarvedAt is that clock at the instant now of the call's own, which has just been read.
func (c *Call) unstarvedAt(now time.Duration) time.Duration {
	late := c.lateAt(now)
	switch {
	case late.sum <= 0:
		return now
	case late.stall() > now/2:
		return now - late.sum
	case c.atHome():
		late.sum *= 2
	}
	return max(now-late.sum, now/8)
}

// lateness is by how much we were late, where that matters: of a limit that has fired, or would have otherwise, how
// much it was stretched, and of the run's deadline, which is not, how long we did not get on. The lock is held.
func (c *Call) lateness(now time.Duration, cut error) time.Duration {
	switch {
	case c.lateBy > 0:
		return c.lateBy
	case errors.Is(cut, probe.ErrDeadline):
		return c.lateAt(now).sum
	case cut != nil && errors.As(cut, new(*LimitError)), c.outlasted(now):
		return max(0, now-c.unstarvedAt(now))
	}
	return 0
}

// outlasted is true when the attempt took longer than one of its limits allows for what went on, in its last hop but
// for total. Of sock_read only the wait for the header is looked at. The lock is held.
func (c *Call) outlasted(now time.Duration) bool {
	var p [probe.NumPhases]time.Duration
	for i, d := range c.phases {
		p[i] = d - c.earlier[i]
	}
	secured := p[probe.PhaseConnect] + p[probe.PhaseTLS]
	took := [numLimits]time.Duration{
		total: now, connect: p[probe.PhaseQueue] + p[probe.PhaseResolve] + secured, sockConnect: secured, sockRead: p[probe.PhaseWait],
	}
	for i, length := range c.limits.length {
		if length > 0 && took[i] > length {
			return true
		}
	}
	return false
}

// done asks the socket whether the target has done its part: bytes that wait to be read, or a connection
// that is made, mean that it has, and we have not. Where bytes may wait in the ordinary course of things,
// the watch must have seen us late as well, unless silent says that none should; very late on an HTTP/2
// connection, where they may be another stream's or nobody's, and of an answer that has begun, where they
// may be one more piece of what has no end. What waits for somebody who listens, while we are not late, has
// come this very moment, and too late. The lock is held.
func (c *Call) done(silent bool, by time.Duration) bool {
	if by == 0 && c.listening() {
		return false
	}
	late, sure := by > 0, true
	if l := c.x.link; l != nil && (l.h2 || !silent && c.x.received > 0) {
		late = by > c.now()/3
		sure = late
	}
	switch c.phase {
	case probe.PhaseQueue:
		return late && c.x.link != nil && c.x.link.writing.Load() == 0 && writable(socketOf(c.raw))
	case probe.PhaseConnect:
		return slices.ContainsFunc(c.dials, writable) || c.proxying != "" && readable(c.raw)
	case probe.PhaseTLS, probe.PhaseWait:
		return sure && readable(c.raw)
	case probe.PhaseTransfer:
		return (late || sure && silent) && readable(c.raw)
	case probe.PhaseWrite:
		return late && writable(socketOf(c.raw))
	}
	return false
}

// blameUs notes that the attempt is ended by our own lateness. The lock is held.
func (c *Call) blameUs(by time.Duration) { c.lateBy = max(by, time.Nanosecond) }

// What a stall must take of a run's time to be the reason why its deadline has passed: a part of it when the target
// is elsewhere, and half of that when it is on this machine, for then each step of its own waits as ours do.
const (
	stallShare     = 3
	stallShareHome = 2 * stallShare
)

// judgeEnd says whether the run's deadline, which has cut the attempt, is our own fault. A deadline cannot
// wait for us as a limit does. So it is ours when we were stalled for a fair part of the run, be it before
// the attempt got going or in it, and when the target has done its part. Being late in many little pieces,
// as on a busy machine, excuses no silent target, unless it is on this machine and has not read what we sent. The
// lock is held.
func (c *Call) judgeEnd() {
	if c.judged || c.ended {
		return
	}
	c.judged = true
	late := c.late()
	if c.bound {
		late = late.and(c.start.Sub(c.span.Due))
	}
	share := time.Duration(stallShare)
	if c.atHome() {
		share = stallShareHome
	}
	stalled := c.bound && late.stall()*share > c.span.End.Sub(c.span.Began)
	idle := c.phase == probe.PhaseQueue && !c.x.queued // there is nothing to wait for
	switch {
	case stalled || idle || c.done(false, late.sum):
		c.blameUs(late.sum)
	case c.unreadAtHome():
		c.unread = true
		c.blameUs(late.sum)
	}
}

// listening is true while somebody is about to read what comes.
func (c *Call) listening() bool {
	return c.phase == probe.PhaseTLS || c.proxying != "" && c.raw != nil || c.x.link != nil && c.x.link.reading.Load()
}

// past is true when the run has ended, whether its timer has got round to saying so or not. What comes
// from then on is too late to count, so that a tie has one outcome.
func (c *Call) past(now time.Duration) bool { return c.bound && now >= c.ends }

// parentEnded ends the call with its parent. A run's deadline is a limit too: the socket is asked
// before the connection goes.
func (c *Call) parentEnded() {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.guardCut()
	cut := c.cut()
	if errors.Is(cut, probe.ErrDeadline) {
		c.judgeEnd()
	}
	c.cutWith(cut)
}
