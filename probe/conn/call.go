package conn

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// Call is one attempt in progress: it knows in which phase the attempt is, runs the limits, and keeps
// the evidence. Its methods may be used by one goroutine at a time.
type Call struct {
	// Start sets these, and nobody changes them.
	net        *Network
	parent     context.Context
	ctx        calling // ends with the parent, or by a limit
	start      time.Time
	after      time.Duration // from the watch's epoch to the start
	lateBefore lateness      // the watch when the call began
	span       retry.Span    // of the run's time, when bound
	bound      bool          // the run has an end
	ends       time.Duration // when that is, on the call's clock
	watched    bool          // the parent tells of its end
	stop       func() bool   // of watching a parent that does not by itself

	cause atomic.Pointer[error] // what has cut the call

	// The attempt's goroutine alone reads and writes these. Those that it writes under mu others may read there.
	ended     bool // written under mu
	hop       int  // counts the exchanges; written under mu
	body      *body
	own       *talk // of Dial
	addresses []probe.AddressError
	facts     *probe.TLSFacts

	files int // descriptors that it has while it makes a connection; under Network.mu

	mu sync.Mutex // of all that follows
	// In the exchange unlooked and broken are the attempt's goroutine's alone.
	x       exchange
	earlier [probe.NumPhases]time.Duration // what the phases had come to when the hop began
	since   time.Duration                  // when the phase began
	phase   probe.Phase
	phases  [probe.NumPhases]time.Duration
	limits  limits

	made       context.Context // what ctx stands for; nil until it is needed
	cancel     context.CancelCauseFunc
	unstick    *unsticking
	raw        net.Conn          // the socket in use, below TLS
	dial       io.Closer         // the socket that is connecting, when it is ours to cut short
	outfitting *link             // the connection on which a handshake or a proxy is waited for
	dials      []syscall.RawConn // the sockets that are connecting
	judged     bool              // whether the run's end is our fault has been asked
	lateBy     time.Duration     // above 0: our own lateness has ended the attempt
	unread     bool              // or rather the machine's, on which the target has not read what we sent

	address  string
	home     home
	leads    string    // to where the hop's connection leads, host and port
	dialing  string    // the address to which connecting began last
	proxying string    // what is done with a proxy, in words; empty while nothing is
	queue    queued    // in all exchanges
	lack     *shortage // why the attempt's end is our fault, if that is why
}

// Start begins an attempt: the clock of its phases and the limit total run from here until End.
func (n *Network) Start(ctx context.Context, l probe.Limits) *Call {
	c := &Call{net: n, parent: ctx, start: time.Now()}
	c.after = c.start.Sub(n.watch.epoch)
	c.lateBefore = n.watch.join(c.after)
	if c.span, c.bound = retry.SpanOf(ctx); c.bound {
		c.ends = c.span.End.Sub(c.start)
	}
	c.ctx = calling{c}
	if c.watched = retry.Watch(ctx, watcher{c}); !c.watched && ctx.Done() != nil {
		c.stop = context.AfterFunc(ctx, c.parentEnded)
	}
	c.limits.call, c.limits.length = c, lengths(l)
	c.limits.run(total, 0)
	return c
}

// now is the call's clock.
func (c *Call) now() time.Duration { return time.Since(c.start) }

// enter moves the call into a phase. The lock is held.
func (c *Call) enter(p probe.Phase, now time.Duration) {
	c.phases[c.phase] += now - c.since
	c.phase, c.since = p, now
}

// to moves the call into a phase, starts limit run and stops limit rest; numLimits is none.
func (c *Call) to(p probe.Phase, run, rest int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if c.ended || c.past(now) {
		return
	}
	c.enter(p, now)
	if rest < numLimits {
		c.limits.rest(rest)
	}
	if run < numLimits {
		c.runLimit(run, now)
	}
}

// arm sets the timer of the limits. It is not done at the start: an attempt that finds a connection at
// hand need not wait for anything yet.
func (c *Call) arm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.limits.arm(c.unstarved())
	}
}

// cut is what has cut the attempt, nil while nothing has. A limit never fires at or after the run's end,
// so the end wins a tie.
func (c *Call) cut() error { return c.cutAt(c.now()) }

// cutAt is what has cut the attempt by the instant now, which has just been read.
func (c *Call) cutAt(now time.Duration) error {
	switch cause := c.cause.Load(); {
	case cause != nil:
		return *cause
	case c.parent.Err() != nil:
		return context.Cause(c.parent)
	case c.past(now):
		return c.span.Cause
	}
	return nil
}

// failed is err, or what cut the attempt and so caused err.
func (c *Call) failed(err error) error {
	if cut := c.cut(); cut != nil {
		return cut
	}
	return err
}

// touch tells that bytes of the answer have come: sock_read starts anew, if it runs.
func (c *Call) touch() {
	c.mu.Lock()
	if c.limits.due[sockRead] > 0 {
		c.limits.run(sockRead, c.unstarved())
	}
	c.mu.Unlock()
}

// heard tells of a frame of the answer, and is false when it comes too late to count.
func (c *Call) heard() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.answers()
}

// answers tells of bytes of the answer, and is false when they come too late to count. The lock is held.
func (c *Call) answers() bool {
	now := c.now()
	c.x.heardAt = now
	if c.past(now) {
		return false
	}
	if c.phase == probe.PhaseWrite {
		c.writeOver(now)
	}
	if c.limits.due[sockRead] > 0 {
		c.limits.run(sockRead, c.unstarvedAt(now))
	}
	return true
}

// writeOver moves from write to wait, as of when the last byte was handed to the kernel. The lock is held.
func (c *Call) writeOver(now time.Duration) {
	if at := c.x.wroteAt; at > c.since {
		now = min(now, at)
	}
	c.enter(probe.PhaseWait, now)
}

// wrote tells that n bytes of the request have gone out.
func (c *Call) wrote(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x.wrote(n, c.now())
}

// writes tells that a write of a hop's request begins beside the reading. Until wroteOf says how much of it
// has gone out, some may have.
func (c *Call) writes(hop int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hop == hop && !c.ended {
		c.x.writing = true
	}
}

// wroteOf tells that n bytes of a hop's request have gone out, when it may be over.
func (c *Call) wroteOf(hop, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hop == hop && !c.ended {
		c.x.writing = false
		c.x.wrote(n, c.now())
	}
}

// read tells of bytes of the answer.
func (c *Call) read(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.answers() {
		return
	}
	if c.x.received < int64(len(c.x.first)) {
		copy(c.x.first[c.x.received:], p)
	}
	c.x.received += int64(len(p))
}

// queues tells that there is no connection at hand, and no leave to make one.
func (c *Call) queues() {
	c.mu.Lock()
	c.x.queued = true
	c.mu.Unlock()
	c.arm()
}

// begin starts an exchange: the call queues for a connection of the route. It returns what has cut the call.
func (c *Call) begin(r *Route) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if !c.past(now) {
		c.enter(probe.PhaseQueue, now)
	}
	c.x.given.end()
	c.x, c.earlier = exchange{}, c.phases
	c.hop++
	c.leads, c.dialing, c.address, c.facts = r.Leads(), "", "", nil
	c.limits.rest(sockRead)
	c.raw, c.dial, c.dials = nil, nil, nil
	c.limits.run(connect, c.unstarvedAt(now))
	return c.cutAt(now)
}
