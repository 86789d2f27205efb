package conn

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"sonde/probe"
)

// link is one open connection. It is the net.Conn that an exchange, or a kind's own protocol, reads
// and writes: above TLS, so that what it counts is what the protocol said. Below TLS a socket tells of
// raw bytes.
type link struct {
	net.Conn // what is below: the socket, or TLS on it
	socket   net.Conn
	net      *Network
	from     *shelf // in whose account it is
	shelf    *shelf // from, and nil when the connection is never kept
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

	writing atomic.Int64          // of HTTP/2: since when a write goes on, after born; 0 while none does
	ended   atomic.Pointer[error] // why the peer's bytes ended, or ours could not go out
	unheard atomic.Pointer[error] // of HTTP: why ours could not go out, while the peer's have yet to end
	pending error                 // what the next Read returns

	call   atomic.Pointer[Call] // of HTTP/1 and of kinds' own protocols: whose request is on it
	frames *frames              // of HTTP/2
	// looking is how many bytes may still be read below TLS, and none is waited for; 0 is the ordinary way.
	// Only who looks whether an idle connection is quiet sets it.
	looking atomic.Int32
}

// usable is true when another request may go out on the connection.
func (l *link) usable() bool {
	if l.dead.Load() || l.h2 && l.cc.Err() != nil {
		return false
	}
	age := l.shelf.key.connection.MaxAge
	return age <= 0 || time.Since(l.born) < age
}

// Read reads, and tells the call whose answer it is.
func (l *link) Read(p []byte) (n int, err error) {
	if l.h2 {
		defer l.caught(&n, &err)
	}
	if !l.enter() {
		return 0, net.ErrClosed
	}
	defer l.leave()
	if err := l.pending; err != nil {
		l.broke(err)
		return 0, err
	}
	l.reading.Store(true)
	n, err = l.Conn.Read(p)
	l.reading.Store(false)
	if n > 0 {
		// An end that comes with the last bytes is told when it is asked for: bytes that make no
		// sense by themselves are not to be excused by it.
		l.pending, err = err, nil
		if flood := l.got(p[:n]); flood != nil {
			n, err = 0, flood
		}
	}
	if err != nil {
		l.broke(err)
	}
	return n, err
}

// got tells of bytes read, and is an error when there are too many that nobody has asked for.
func (l *link) got(p []byte) error {
	if l.h2 {
		return l.frames.read(p)
	}
	if c := l.call.Load(); c != nil {
		c.read(p)
	}
	return nil
}

// Write writes, and tells the call whose request it is.
func (l *link) Write(p []byte) (n int, err error) {
	if l.h2 {
		defer l.caught(&n, &err)
	}
	n, err = l.put(p)
	if c := l.call.Load(); !l.h2 && c != nil && n > 0 {
		c.wrote(n)
	}
	if err != nil && !errors.Is(err, net.ErrClosed) {
		l.ended.CompareAndSwap(nil, &err)
	}
	return n, err
}

// put writes. After an error no other request goes out.
func (l *link) put(p []byte) (n int, err error) {
	if !l.enter() {
		return 0, net.ErrClosed
	}
	defer l.leave()
	if l.h2 {
		began := time.Since(l.born)
		l.writing.Store(int64(max(1, began)))
		n, err = l.writeFrames(p)
		if l.writing.Store(0); time.Since(l.born)-began >= balking {
			l.changed() // those who passed it over may have it now
		}
	} else {
		n, err = l.Conn.Write(p)
	}
	if err != nil {
		l.dead.Store(true)
	}
	return n, err
}

// writeFrames writes to an HTTP/2 connection. When that fails, what the peer has said before it went tells more
// than that it does not listen: its answer may be there, whole. So the HTTP/2 client, whose writer would else
// give up what its reader is about to get, is not told; it hears of the end when it has read all that came.
func (l *link) writeFrames(p []byte) (int, error) {
	n, err := l.frames.write(p, l.Conn)
	if err == nil || !gone(err) || l.closed.Load() {
		return n, err
	}
	l.dead.Store(true)
	if l.unheard.CompareAndSwap(nil, &err) {
		time.AfterFunc(handOverTime, l.giveUp)
	}
	return len(p), nil
}

// giveUp ends a connection on which the peer takes nothing any more.
func (l *link) giveUp() {
	defer l.guard()
	if l.closed.Load() {
		return
	}
	l.ended.CompareAndSwap(nil, l.unheard.Load())
	l.abort()
}

// hurry has small writes go out at once, on a connection that need not have one write at a time.
func (l *link) hurry() {
	if s, ok := l.socket.(interface{ hurry() }); ok {
		s.hurry()
	}
}

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

// errFlood is what the HTTP/2 client gets instead of bytes without end that it has not asked for.
var errFlood = io.EOF
