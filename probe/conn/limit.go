package conn

import (
	"context"
	"fmt"
	"time"

	"sonde/probe"
)

// LimitError is the cause with which a limit ends an attempt. It is a timeout and matches
// context.DeadlineExceeded.
type LimitError struct {
	Limit probe.Limit
	// After is how long the limit is.
	After time.Duration
	// Phase is where the attempt was.
	Phase probe.Phase
	// Doing is what it did there, in words, such as "waiting for the response header".
	Doing string
}

// Error names the limit, its length, and what the attempt was doing.
func (e *LimitError) Error() string {
	if e.Limit == probe.LimitSockRead {
		return fmt.Sprintf("limit sock_read: no byte for %v while %s", e.After, e.Doing)
	}
	return fmt.Sprintf("limit %s (%v) passed while %s", e.Limit, e.After, e.Doing)
}

// doing is what the attempt does. The lock is held.
func (c *Call) doing() string {
	switch {
	case c.proxying != "":
		return c.proxying
	case c.phase == probe.PhaseQueue && c.x.link != nil:
		return "waiting for its turn on an HTTP/2 connection"
	case c.phase == probe.PhaseConnect && c.dialing != "":
		return "connecting to " + c.dialing
	case c.x.raw && c.phase == probe.PhaseWrite:
		return "sending"
	case c.x.raw:
		return "waiting for what the peer says"
	}
	return Doing(c.phase)
}

// Doing is what an attempt does in a phase, in words.
func Doing(p probe.Phase) string { return doings[p] }

var doings = [probe.NumPhases]string{
	"queued for a connection", "looking up the name", "connecting", "in the TLS handshake", "sending the request",
	"waiting for the response header", "receiving the body",
}

// Unwrap leads to context.DeadlineExceeded.
func (e *LimitError) Unwrap() error { return context.DeadlineExceeded }

// Timeout is true.
func (e *LimitError) Timeout() bool { return true }

// The limits by number; total comes first, so that it wins a tie.
const (
	total = iota
	connect
	sockConnect
	sockRead
	numLimits
)

var limitNames = [numLimits]probe.Limit{probe.LimitTotal, probe.LimitConnect, probe.LimitSockConnect, probe.LimitSockRead}

func lengths(l probe.Limits) [numLimits]time.Duration {
	return [numLimits]time.Duration{l.Total, l.Connect, l.SockConnect, l.SockRead}
}

// limits runs an attempt's four limits on one timer. A limit that is not running is due at 0. The
// call's lock guards it.
type limits struct {
	call   *Call
	length [numLimits]time.Duration
	due    [numLimits]time.Duration // on the call's clock
	timer  *timer                   // nil before the first time
	armed  time.Duration            // when the timer fires; 0 is never
}

// run starts limit i anew at the instant now of the call's clock; a limit of no length never runs.
func (l *limits) run(i int, now time.Duration) {
	l.due[i] = 0
	if l.length[i] > 0 {
		l.due[i] = now + l.length[i]
	}
}

// rest stops limit i.
func (l *limits) rest(i int) { l.due[i] = 0 }

// next is the earliest due limit, numLimits when none runs.
func (l *limits) next() int {
	first := numLimits
	for i, d := range l.due {
		if d > 0 && (first == numLimits || d < l.due[first]) {
			first = i
		}
	}
	return first
}

// arm sees to it that the timer fires when the next limit is due. It is let run when it fires too early:
// most attempts end long before.
func (l *limits) arm(now time.Duration) {
	if i := l.next(); i < numLimits {
		l.armFor(l.due[i], now)
	}
}

// armSoon is arm when limit i is about to run: one setting of the timer then serves both.
func (l *limits) armSoon(i int, now time.Duration) {
	due, n := now+l.length[i], l.next()
	switch {
	case n < numLimits && (l.length[i] <= 0 || l.due[n] < due):
		due = l.due[n]
	case l.length[i] <= 0:
		return
	}
	l.armFor(due, now)
}

func (l *limits) armFor(due, now time.Duration) {
	if l.armed > 0 && l.armed <= due {
		return
	}
	l.armed = due
	if l.timer == nil {
		l.timer = l.call.net.timer(l.call)
	}
	l.timer.Reset(due - now)
}

// runLimit starts a limit anew at the instant now. The lock is held.
func (c *Call) runLimit(i int, now time.Duration) {
	now = c.unstarvedAt(now)
	c.limits.run(i, now)
	c.limits.arm(now)
}

// tick ends the attempt with the limit that is due; when none is yet, it plans the next look. A limit that
// is due with the run's end, or after it, leaves the cut to the end.
func (c *Call) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.guardCut()
	c.limits.armed = 0
	i, now := c.limits.next(), c.unstarved()
	switch {
	case c.ended || c.isCut() || i == numLimits || c.past(c.now()):
		return
	case c.limits.due[i] > now:
		c.limits.arm(now)
		return
	}
	if late := c.late().sum; c.done(i == sockRead, late) {
		c.blameUs(late)
	}
	c.cutWith(&LimitError{Limit: limitNames[i], After: c.limits.length[i], Phase: c.phase, Doing: c.doing()})
}
