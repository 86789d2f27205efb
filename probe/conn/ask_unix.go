//go:build unix

package conn

import (
	"io"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// socketOf is the kernel's socket below a connection, nil when there is none.
func socketOf(c net.Conn) syscall.RawConn {
	s, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// readable is true when bytes, or an end, wait to be read.
func readable(c net.Conn) bool {
	if b, ok := c.(interface{ Buffered() int }); ok {
		return b.Buffered() > 0
	}
	return poll(socketOf(c), unix.POLLIN)
}

// writable is true when the socket takes bytes; one that is connecting does when it has connected, or
// knows that it cannot.
func writable(s syscall.RawConn) bool { return poll(s, unix.POLLOUT) }

// poll asks the kernel, without waiting.
func poll(s syscall.RawConn, events int16) bool {
	if s == nil {
		return false
	}
	is := false
	s.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd), Events: events}}
		n, err := unix.Poll(p, 0)
		is = err == nil && n > 0
	})
	return is
}

// tryRead reads what there is, without waiting: nothing, and no error, when there is nothing, or when it
// cannot be asked.
func tryRead(c net.Conn, p []byte) (int, error) {
	if t, ok := c.(tryReader); ok {
		return t.TryRead(p)
	}
	s := socketOf(c)
	if s == nil {
		return 0, nil
	}
	return newLook().at(s, p)
}

// look reads from a socket without waiting. It can be used again, so that looking needs no memory.
type look struct {
	read func(fd uintptr) bool
	p    []byte
	n    int
	err  error
}

func newLook() *look {
	l := &look{}
	l.read = func(fd uintptr) bool {
		l.n, l.err = unix.Read(int(fd), l.p)
		return true
	}
	return l
}

func (l *look) at(s syscall.RawConn, p []byte) (int, error) {
	l.p = p
	closed := s.Read(l.read)
	l.p = nil
	switch {
	case closed != nil:
		return 0, closed
	case l.err == unix.EAGAIN || l.err == unix.EINTR:
		return 0, nil
	case l.err != nil:
		return 0, l.err
	case l.n == 0:
		return 0, io.EOF
	}
	return l.n, nil
}
