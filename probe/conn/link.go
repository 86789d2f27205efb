package conn

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"sonde/probe"
)

// link is one open connection. It is the net.Conn that the HTTP client, or a kind's own protocol, reads
// and writes: above TLS, so that what it counts is what the protocol said. Below TLS a socket tells of
// raw bytes.
type link struct {
	net.Conn // what is below: the socket, or TLS on it
	socket   net.Conn
	net      *Network
	host     *host
	shelf    *shelf // nil when the connection is never kept
	cc       *http.ClientConn
	h2       bool
	address  string
	facts    *probe.TLSFacts
	born     time.Time

	dead    atomic.Bool // no new request may go out on it
	closed  atomic.Bool // we have closed it
	rude    atomic.Bool // it is to be closed at once
	inside  atomic.Int32
	reading atomic.Bool // somebody is in Read
	gone    sync.Once
	listed  atomic.Bool // is in Network.links

	// Under Network.mu.
	uses       int
	active     int
	timer      *time.Timer
	timed      bool
	idleSince  time.Time
	prev, next *link

	ended   atomic.Pointer[error] // why the peer's bytes ended, or ours could not go out
	pending error                 // what the next Read returns

	call    atomic.Pointer[Call] // of HTTP/1 and of kinds' own protocols: whose request is on it
	expects atomic.Bool          // of HTTP/1: a request has begun to go out, so that bytes may come
	begun   chan struct{}        // of HTTP/1: wakes a reader that holds bytes back; of one
	over    chan struct{}        // closed when nothing more can be read
	overOne sync.Once

	writing atomic.Bool   // of HTTP/1: somebody is in Write
	whole   atomic.Bool   // of HTTP/1: the last Write took all that it was given
	wrote   chan struct{} // of HTTP/1: tells of the end of a Write; of one

	frames *frames // of HTTP/2
}

// usable is true when another request may go out on the connection.
func (l *link) usable(now time.Time) bool {
	if l.dead.Load() || l.cc.Err() != nil {
		return false
	}
	age := l.shelf.key.connection.MaxAge
	return age <= 0 || now.Sub(l.born) < age
}

// Read reads, and tells the call whose answer it is. Bytes that come before a request has gone out are
// held back until one has; on an idle connection they are the end of it.
func (l *link) Read(p []byte) (int, error) {
	if !l.enter() {
		return 0, net.ErrClosed
	}
	defer l.leave()
	if err := l.pending; err != nil {
		l.broke(err)
		return 0, err
	}
	l.reading.Store(true)
	n, err := l.Conn.Read(p)
	l.reading.Store(false)
	if n > 0 {
		// An end that comes with the last bytes is told when it is asked for: bytes that make no
		// sense by themselves are not to be excused by it.
		l.pending, err = err, nil
		if !l.got(p[:n]) {
			n, err = 0, errUnsolicited
		}
	}
	if err != nil {
		l.broke(err)
	}
	return n, err
}

// got tells of bytes read, and is false when nobody has asked for them.
func (l *link) got(p []byte) bool {
	if l.h2 {
		return l.frames.read(p)
	}
	for !l.expects.Load() {
		if l.call.Load() == nil || l.closed.Load() {
			return false
		}
		<-l.begun
	}
	if c := l.call.Load(); c != nil {
		c.read(p)
	}
	return true
}

// Write writes, and tells the call whose request it is.
func (l *link) Write(p []byte) (int, error) {
	if !l.enter() {
		return 0, net.ErrClosed
	}
	defer l.leave()
	n, err := l.write(p)
	if err != nil && !errors.Is(err, net.ErrClosed) {
		l.dead.Store(true)
		l.ended.CompareAndSwap(nil, &err)
	}
	return n, err
}

func (l *link) write(p []byte) (int, error) {
	if l.h2 {
		return l.writeFrames(p)
	}
	l.expect()
	n, err := l.hand(p)
	if c := l.call.Load(); c != nil && n > 0 {
		c.wrote(n)
	}
	if err != nil && l.cc != nil {
		// A server may have answered before it refused to read on, and the HTTP client gives up at an
		// error of writing. It hears of it when there is nothing more to read.
		<-l.over
	}
	return n, err
}

// writeFrames writes to an HTTP/2 connection. When that fails, what the peer has said to our preface
// tells more than that it does not listen, and is waited for.
func (l *link) writeFrames(p []byte) (int, error) {
	opened := l.frames.opened()
	n, err := l.frames.write(p, l.Conn)
	switch {
	case err == nil:
	case !opened:
		l.listen()
	default:
		select {
		case <-l.frames.started:
		case <-l.over:
		}
	}
	return n, err
}

// listen reads up to the peer's first frame or the end of the connection. It is for the preface that
// could not be written: the HTTP client has no reader yet, and will have none.
func (l *link) listen() {
	if c := l.call.Load(); c != nil {
		defer context.AfterFunc(c.ctx, func() { l.Close() })()
	}
	var buf [512]byte
	for {
		select {
		case <-l.frames.started:
			return
		default:
		}
		if _, err := l.Read(buf[:]); err != nil {
			return
		}
	}
}

func (l *link) ends() { l.overOne.Do(func() { close(l.over) }) }

// end is why the peer's bytes ended; nil while they have not, and of no link.
func (l *link) end() error {
	if l == nil {
		return nil
	}
	if err := l.ended.Load(); err != nil {
		return *err
	}
	return nil
}

// expect lets bytes pass to the reader from now on.
func (l *link) expect() {
	if !l.expects.Swap(true) {
		l.wake()
	}
}

func (l *link) wake() {
	select {
	case l.begun <- struct{}{}:
	default:
	}
}

// broke tells that reading has come to its end. What we closed ourselves proves nothing.
func (l *link) broke(err error) {
	l.dead.Store(true)
	if l.closed.Load() {
		return
	}
	l.ended.CompareAndSwap(nil, &err)
	l.ends()
	l.unused()
}

// enter and leave count who is inside the connection, so that its end can be awaited.
func (l *link) enter() bool {
	l.inside.Add(1)
	if l.closed.Load() {
		l.leave()
		return false
	}
	return true
}

func (l *link) leave() {
	if l.inside.Add(-1) == 0 && l.closed.Load() {
		l.gone.Do(l.net.open.Done)
	}
}

// close closes the connection, and the HTTP client on it. It may be called at any time and again.
func (l *link) close() {
	l.dead.Store(true)
	if l.cc != nil {
		l.cc.Close()
	}
	l.Close()
}

// abort closes the connection without a goodbye.
func (l *link) abort() {
	l.rude.Store(true)
	l.Close()
}

// Close closes the connection for the HTTP client, which may hold locks of its own meanwhile: so the
// account is put right elsewhere.
func (l *link) Close() error {
	if l.closed.Swap(true) {
		return nil
	}
	l.dead.Store(true)
	l.inside.Add(1)
	l.wake()
	l.ends()
	if c := l.call.Load(); l.rude.Load() || c != nil && c.ctx.Err() != nil {
		l.socket.Close() // TLS would take its time to say goodbye
	}
	err := l.Conn.Close()
	l.leave()
	if l.listed.Load() && l.call.Load() == nil && l.net.hold() {
		go func() {
			defer l.net.open.Done()
			l.unused()
		}()
	}
	return err
}

// unused takes a connection that nobody uses any more out of the account.
func (l *link) unused() {
	l.net.change(l.host, func(out *outcome) {
		if l.active == 0 {
			l.net.discard(l, out)
		}
	})
}

// errUnsolicited is what the HTTP client gets instead of bytes that it has not asked for; what it would
// make of them is a line on the standard logger.
var errUnsolicited = io.EOF
