package conn

import (
	"io"
	"net"
)

// wire is what lies below TLS: it tells of bytes that TLS has yet to make sense of, so that a slow
// record is no silence. Where TLS lies within TLS, as through a proxy, there is one below each.
type wire struct {
	net.Conn
	link *link
}

// Read reads, and restarts sock_read of the call that waits.
func (s *wire) Read(p []byte) (int, error) {
	if s.Conn == s.link.socket && s.link.looking.Load() > 0 {
		return s.link.look(p)
	}
	n, err := s.Conn.Read(p)
	if n > 0 && !s.link.h2 {
		if c := s.link.call.Load(); c != nil {
			c.touch()
		}
	}
	return n, err
}

// Write writes; not while it is looked whether the connection is quiet, for that may take no time. A peer that
// wants an answer then, to its new keys, loses the connection.
func (s *wire) Write(p []byte) (int, error) {
	if s.link.looking.Load() > 0 {
		s.link.dead.Store(true) // TLS keeps the error to itself
		return 0, io.ErrNoProgress
	}
	return s.Conn.Write(p)
}

// quiet is true while the peer has neither closed a connection that nobody uses nor said anything on it. Of
// what TLS says to itself, such as the tickets of a session, nothing counts.
func (l *link) quiet() bool {
	if !l.enter() {
		return false
	}
	defer l.leave()
	var b [1]byte
	if l.Conn == l.socket {
		n, err := tryRead(l.socket, b[:])
		return n == 0 && err == nil
	}
	l.looking.Store(lookBytes)
	n, err := l.Conn.Read(b[:])
	l.looking.Store(0)
	return n == 0 && err == errNothing && !l.dead.Load()
}

// lookBytes is how much of what is no answer, such as tickets, a peer may have sent on an idle connection.
const lookBytes = 64 << 10

// look reads for TLS what there is, without waiting.
func (l *link) look(p []byte) (int, error) {
	n, err := tryRead(l.socket, p)
	if n == 0 && err == nil {
		return 0, errNothing
	}
	if l.looking.Add(int32(-n)) <= 0 && err == nil {
		l.looking.Store(1)
		err = io.ErrNoProgress
	}
	return n, err
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
