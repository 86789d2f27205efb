package conn

import (
	"net"
	"sync"
	"time"
)

// stuck is how long a write on an HTTP/2 connection may take while a stream is to be given up.
const stuck = time.Second

// unstick watches over the giving up of an HTTP/2 stream, until it is stopped. Whoever gives a stream up waits for
// a turn to write, and so do those who read it; that never comes while the peer floods us with frames to answer
// and reads nothing. Then the connection goes. Where no write is held up it is we who do not get on, and those
// who share the connection have nothing to do with that.
func (l *link) unstick(c *Call) *unsticking {
	u := &unsticking{link: l, call: c}
	u.next()
	return u
}

// unsticking is a watch over one stream.
type unsticking struct {
	link *link
	call *Call // whose stream it is

	mu    sync.Mutex
	timer *time.Timer
	over  bool
}

// errStuck is how the connection ended for the others on it.
var errStuck error = stuckError{}

type stuckError struct{}

func (stuckError) Error() string { return "the peer ceased to read from the connection" }

// Unwrap tells that the connection is gone: it is no answer that makes no sense.
func (stuckError) Unwrap() error { return net.ErrClosed }

// next plans a look, unless the watch is over.
func (u *unsticking) next() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.over {
		u.timer = time.AfterFunc(stuck, u.look)
	}
}

func (u *unsticking) look() {
	defer u.call.guard()
	if l := u.link; !u.isOver() && l.isStuck() {
		l.ended.CompareAndSwap(nil, &errStuck)
		l.abort()
		return
	}
	u.next()
}

func (u *unsticking) isOver() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.over
}

// Stop ends the watch.
func (u *unsticking) Stop() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over = true
	u.timer.Stop()
}

// isStuck is true while the peer takes nothing of what is written.
func (l *link) isStuck() bool { return l.heldUp(stuck / 2) }

// balks is true of an HTTP/2 connection whose peer has taken nothing of what is written for so long that another
// request is better off on another one: it would wait for its turn.
func (l *link) balks() bool { return l.heldUp(balking) }

const balking = 250 * time.Millisecond

// heldUp is true while a write has taken so long. The socket is asked, too: when it takes more, the write is over,
// and we have not got round to hearing of it.
func (l *link) heldUp(by time.Duration) bool {
	since := l.writing.Load()
	return since > 0 && time.Since(l.born)-time.Duration(since) >= by && !writable(socketOf(l.socket))
}
