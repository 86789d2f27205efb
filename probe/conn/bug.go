package conn

import (
	"errors"
	"fmt"

	"sonde/probe"
)

// What becomes of a panic. On the goroutine of a run it is the attempt's, for Probe.Run recovers it there. Elsewhere:
//
//	where                      what it may call that is not ours             a panic is
//	dial.go, a racer           Options.Dial, net.Dialer                      its attempt's
//	dial.go, who reaps         Close of a connection                         stray
//	dns, a lookup to keep      Options.Lookup(TTL), net.Resolver             that of each attempt that waits for it
//	dns, in Go's resolver      the dialler; dnsmessage on what came          the lookup's, as its error
//	request.go, an upload      the request's body, Write of a connection     its attempt's, and the connection goes
//	http2.go, body and hooks   the request's body                            its attempt's
//	link.go of HTTP/2          crypto/tls, the connection; frames.go         that of all whose requests are on it
//	timer.go, cut.go, body.go  what cuts: Close of a connection, the kernel  the attempt's that is cut, or drained
//	unstick.go                 the same                                      the attempt's whose stream is given up
//	close.go, the goodbye      Close of a socket                             the attempt's on it, or stray
//	keep.go, close.go          Close of connections that nobody uses         stray
//	queue.go, aside            the account of all connections                the end of the process
//	watch.go, the beat         /proc, on which all limits lean               the end of the process
//
// The attempt becomes internal, also one that would have passed or that something else has cut, and End lets go of what
// it holds. A stray panic belongs to no attempt, or to one that has ended: Options.Bug is told of it.
//
// Some goroutines are Go's own, and what panics there in code of Go's ends the process: those of net.Resolver, those
// of net/http's HTTP/2 client (a reader, one a request, its timers), and the one with which net.Dialer minds a context.
// crypto/tls has none here, for no handshake is given a context. What they call of ours is guarded, see above.

// guard is deferred, before all else, by what serves the call on a goroutine that is not the run's.
func (c *Call) guard() {
	if v := recover(); v != nil {
		c.upset(probe.Panicked(v))
	}
}

// guardCut is guard of what cuts the call, which wakes the run: the lock is held, so that the attempt cannot end before
// it hears of the panic.
func (c *Call) guardCut() {
	if v := recover(); v != nil {
		if p := probe.Panicked(v); !c.take(p) {
			c.net.stray(p)
		}
	}
}

// caught is guard where there is an error to return.
func (c *Call) caught(err *error) {
	if v := recover(); v != nil {
		p := probe.Panicked(v)
		*err = p
		c.upset(p)
	}
}

// upset ends the attempt with a panic. Whoever calls it does not hold the call's lock.
func (c *Call) upset(p *probe.PanicError) {
	if !c.takes(p) {
		c.net.stray(p)
	}
}

// takes is upset, and false when the attempt has ended.
func (c *Call) takes(p *probe.PanicError) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.take(p)
}

// take is takes. Of several panics the first is told. The lock is held.
func (c *Call) take(p *probe.PanicError) (taken bool) {
	if c.ended {
		return false
	}
	defer func() { _ = recover() }() // of severing, which may well be what has panicked
	taken = true
	if cut := c.cause.Load(); cut == nil || bugIn(*cut) == nil {
		var cause error = p
		c.cause.Store(&cause)
	}
	c.sever()
	return taken
}

// panicked is the panic that has ended the attempt, of whose failure err tells; nil when none has. The lock is held.
func (c *Call) panicked(err error) *probe.PanicError {
	if cut := c.cause.Load(); cut != nil {
		if p := bugIn(*cut); p != nil {
			return p
		}
	}
	if p := bugIn(c.x.link.end()); p != nil {
		return p
	}
	return bugIn(err)
}

// bugIn is the panic that an error comes from; nil when it does not.
func bugIn(err error) *probe.PanicError {
	if err == nil {
		return nil
	}
	p, _ := errors.AsType[*probe.PanicError](err)
	return p
}

// guard is deferred by what closes a connection beside its call, if it has one.
func (l *link) guard() {
	if v := recover(); v != nil {
		l.upset(probe.Panicked(v))
	}
}

// caught is deferred by what the HTTP/2 client calls, which it does on goroutines of its own. The connection goes, and
// with it all requests that are on it.
func (l *link) caught(n *int, err *error) {
	if v := recover(); v != nil {
		p := probe.Panicked(v)
		if *err = p; n != nil {
			*n = 0
		}
		l.upset(p)
	}
}

// upset ends the connection with a panic. Of HTTP/2 the client may hold locks of its own meanwhile, so its calls are
// not cut here: they fail with the connection, and find what has ended it.
func (l *link) upset(p *probe.PanicError) {
	l.rude.Store(true)
	l.dead.Store(true)
	c := l.call.Load()
	switch {
	case l.h2:
		var cause error = p
		l.ended.Store(&cause)
		if c == nil && !l.frames.busy() {
			l.net.stray(p)
		}
	case c != nil:
		c.upset(p)
	default:
		l.net.stray(p)
	}
	l.abort()
}

// busy is true while some request is on the connection.
func (f *frames) busy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.next != nil || len(f.streams) > 0
}

// guard is deferred by what serves no attempt.
func (n *Network) guard() {
	if v := recover(); v != nil {
		n.stray(probe.Panicked(v))
	}
}

// stray tells of a panic that belongs to no attempt.
func (n *Network) stray(p *probe.PanicError) {
	if n.options.Bug == nil {
		panic(fmt.Sprintf("%v\n\n%s", p.Value, p.Stack))
	}
	n.options.Bug(p)
}
