package conn

import (
	"context"
	"errors"
	"net"
	"sync"
	"syscall"
	"time"

	"sonde/probe"
)

// Call is one attempt in progress: it knows in which phase the attempt is, runs the limits, and keeps
// the evidence. Its methods may be used by one goroutine at a time.
type Call struct {
	net    *Network
	parent context.Context
	ctx    context.Context // ends with the parent, or by a limit
	cancel context.CancelCauseFunc

	mu     sync.Mutex
	start  time.Time
	since  time.Duration // when the phase began
	phase  probe.Phase
	phases [probe.NumPhases]time.Duration
	limits limits
	ended  bool
	hop    int // counts the exchanges
	x      exchange

	stop       func() bool // of watching the parent
	unstick    *time.Timer
	raw        net.Conn          // the socket in use, below TLS
	dials      []syscall.RawConn // the sockets that are connecting
	lateBefore time.Duration     // the watch when the call began
	lateBy     time.Duration     // above 0: our own lateness has ended the attempt

	body      *body
	own       *talk // of Dial
	address   string
	addresses []probe.AddressError
	facts     *probe.TLSFacts
}

// exchange is what is known of one request and its answer.
type exchange struct {
	link     *link
	reused   bool
	awaited  bool // the queue was for a connection that another call was making
	written  int64
	received int64
	first    [5]byte // the first bytes received
	header   bool    // the response header is complete
	upload   bool    // the request is not yet written
	reading  bool    // somebody waits for bytes
	raw      bool    // a protocol of the kind's, not HTTP
	left     bool    // the exchange is over, or nearly
	broken   bool    // the HTTP client has given the connection up
	stream   *stream
}

// Start begins an attempt: the clock of its phases and the limit total run from here until End.
func (n *Network) Start(ctx context.Context, l probe.Limits) *Call {
	n.watch.join()
	c := &Call{net: n, parent: ctx, start: time.Now(), lateBefore: n.watch.late()}
	c.ctx, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	if ctx.Done() != nil {
		c.stop = context.AfterFunc(ctx, c.parentEnded)
	}
	c.limits.length = lengths(l)
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
	if c.ended {
		return
	}
	c.enter(p, now)
	if rest < numLimits {
		c.limits.rest(rest)
	}
	if run < numLimits {
		c.runLimit(run)
	}
}

// arm sets the timer of the limits. It is not done at the start: an attempt that finds a connection at
// hand need not wait for anything yet.
func (c *Call) arm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.limits.arm(c.unstarved(), c.tick)
	}
}

// cut is what has cut the attempt, nil while nothing has. The run's end wins a tie.
func (c *Call) cut() error {
	if c.parent.Err() != nil {
		return context.Cause(c.parent)
	}
	return context.Cause(c.ctx)
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

// wrote tells that n bytes of the request have gone out.
func (c *Call) wrote(n int) {
	c.mu.Lock()
	c.x.written += int64(n)
	c.mu.Unlock()
}

// read tells of bytes of the answer.
func (c *Call) read(p []byte) {
	c.mu.Lock()
	if c.x.received < int64(len(c.x.first)) {
		copy(c.x.first[c.x.received:], p)
	}
	c.x.received += int64(len(p))
	if c.limits.due[sockRead] > 0 {
		c.limits.run(sockRead, c.unstarved())
	}
	c.mu.Unlock()
}

// awaits tells that the queue is for a connection that another call is making.
func (c *Call) awaits() {
	c.mu.Lock()
	c.x.awaited = true
	c.mu.Unlock()
}

// begin starts an exchange: the call queues for a connection.
func (c *Call) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	c.enter(probe.PhaseQueue, now)
	c.x = exchange{}
	c.hop++
	c.address, c.facts = "", nil
	c.limits.rest(sockRead)
	c.raw, c.dials = nil, nil
	c.limits.run(connect, c.unstarved())
}

// End ends the attempt and returns its record: reason, evidence, phases, limit, addresses, TLS facts.
// err is nil for an attempt that passed, what RoundTrip, the body or the connection returned, or a
// *Failure of the kind's own; what cut the attempt (a limit, the run's end) beats it.
func (c *Call) End(err error) probe.Attempt {
	if err != nil {
		if errors.As(c.cut(), new(*LimitError)) {
			letOthersGo()
		}
		err = c.failed(err)
	}
	if c.body != nil {
		c.body.end(err == nil)
	}
	if c.own != nil {
		c.own.Close()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enter(c.phase, c.now())
	c.ended = true
	c.net.watch.leave()
	if c.stop != nil {
		c.stop()
	}
	if c.limits.timer != nil {
		c.limits.timer.Stop()
	}
	a := c.record(err)
	c.cancel(errEnded)
	return a
}

// errEnded is the cause of a call's context after its end.
var errEnded = errors.New("the attempt has ended")

// record is the attempt so far; err is why it failed. The lock is held.
func (c *Call) record(err error) probe.Attempt {
	a := probe.Attempt{
		OK: err == nil, Err: err, Phase: c.phase, Phases: c.phases, Evidence: c.evidence(),
		RemoteAddress: c.address, Addresses: c.addresses, Reused: c.x.reused, TLS: c.facts,
	}
	if err == nil {
		a.Phase = 0
		return a
	}
	if a.Evidence == probe.NeverSent && a.Phase == probe.PhaseWait && !c.x.raw {
		a.Phase = probe.PhaseWrite // the HTTP client calls a request written that is still in its buffer
	}
	a.Reason, a.Transient = c.classify(err)
	var limit *LimitError
	if errors.As(err, &limit) {
		a.Limit, a.Phase = limit.Limit, limit.Phase
	}
	if a.Reason == probe.ReasonProberLate {
		a.Late = c.lateBy
	}
	a.Stale = a.Reason == probe.ReasonStaleConnection
	return a
}
