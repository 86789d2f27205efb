package conn

import (
	"io"
	"net"
)

// wire is what lies below TLS: it tells of bytes that TLS has yet to make sense of, so that a slow
// record is no silence. It can be made to look without waiting.
type wire struct {
	net.Conn
	link *link
	// looking is how many bytes may still be read without waiting; 0 is the ordinary way. Only who
	// looks whether an idle connection is quiet sets it.
	looking int
}

// Read reads, and restarts sock_read of the call that waits.
func (s *wire) Read(p []byte) (int, error) {
	if s.looking > 0 {
		return s.look(p)
	}
	n, err := s.Conn.Read(p)
	if n > 0 && !s.link.h2 {
		if c := s.link.call.Load(); c != nil {
			c.touch()
		}
	}
	return n, err
}

// look reads what there is.
func (s *wire) look(p []byte) (int, error) {
	n, err := tryRead(s.Conn, p)
	if n == 0 && err == nil {
		return 0, errNothing
	}
	if s.looking -= n; s.looking <= 0 && err == nil {
		err = io.ErrNoProgress
	}
	return n, err
}

// Write writes; not while it is looked whether the connection is quiet, for that may take no time.
func (s *wire) Write(p []byte) (int, error) {
	if s.looking > 0 {
		return 0, io.ErrNoProgress
	}
	return s.Conn.Write(p)
}

// lookBytes is how much of what is not an answer, such as session tickets, a peer may have sent on an idle
// connection.
const lookBytes = 64 << 10

// quiet is true while the peer has neither closed a connection that nobody uses nor said anything on it. Of
// what TLS says to itself, such as the tickets of a session, nothing counts.
func (l *link) quiet() bool {
	if !l.enter() {
		return false
	}
	defer l.leave()
	var b [1]byte
	if l.wire == nil {
		n, err := tryRead(l.socket, b[:])
		return n == 0 && err == nil
	}
	l.wire.looking = lookBytes
	n, err := l.Conn.Read(b[:])
	l.wire.looking = 0
	return n == 0 && err == errNothing
}

// errNothing says that nothing waits to be read. TLS goes on after it.
var errNothing net.Error = nothing{}

type nothing struct{}

func (nothing) Error() string   { return "nothing waits to be read" }
func (nothing) Timeout() bool   { return true }
func (nothing) Temporary() bool { return true }

// tryReader is what a connection offers that is none of the kernel's, such as package memnet's: TryRead reads
// what there is, and nothing without an error when there is nothing.
type tryReader interface {
	TryRead(p []byte) (int, error)
}
