//go:build unix

package conn

import (
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
