package conn

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// dialTo connects to an address. The kernel may choose the very port that it connects to, and so connect a
// socket to itself when nobody listens, or one that is in use: then it is asked again.
func (c *Call) dialTo(to netip.AddrPort) (net.Conn, error) {
	for again := 2; ; again-- {
		s, itself, err := c.socketTo(to)
		if err != nil && c.isCut() {
			err = context.Canceled
		}
		switch {
		case err != nil && (again == 0 || !errors.Is(err, syscall.EADDRNOTAVAIL)):
			return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(to), Err: err}
		case err != nil:
		case again == 0 || !itself:
			return s, nil
		default:
			s.Close()
		}
	}
}

func (c *Call) socketTo(to netip.AddrPort) (s *socket, itself bool, err error) {
	fd, err := unix.Socket(family(to), unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, false, os.NewSyscallError("socket", err)
	}
	switch err := connectTo(fd, to); err {
	case 0, unix.EINPROGRESS, unix.EALREADY, unix.EINTR, unix.EISCONN:
	default:
		unix.Close(fd)
		return nil, false, os.NewSyscallError("connect", err)
	}
	s = &socket{file: os.NewFile(uintptr(fd), ""), remote: to}
	if itself, err = c.waitFor(s); err != nil {
		s.Close()
		return nil, false, err
	}
	return s, itself, nil
}

func family(a netip.AddrPort) int {
	if a.Addr().Is4() {
		return unix.AF_INET
	}
	return unix.AF_INET6
}

// waitFor waits until the socket has connected, and says whether that is to itself. What cuts the call closes it.
func (c *Call) waitFor(s *socket) (itself bool, err error) {
	if s.raw, err = s.file.SyscallConn(); err == nil {
		err = c.connects(s)
	}
	if err != nil {
		return false, err
	}
	a := arrivals.Get().(*arrival)
	defer arrivals.Put(a)
	a.remote, a.itself, a.reset, a.err = s.remote, false, false, nil
	if closed := s.raw.Write(a.check); closed != nil {
		return false, s.say("connect", closed)
	}
	s.reset = a.reset
	return a.itself, a.err
}

// connects notes a socket that is connecting, unless the call was cut already.
func (c *Call) connects(s *socket) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isCut() {
		return context.Canceled
	}
	if c.dials == nil {
		c.dials = s.room[:0]
	}
	c.dial, c.dials = s, append(c.dials, s.raw)
	return nil
}

// arrival is the waiting for a socket to have connected. Its function is made once and for all, as a transfer's.
type arrival struct {
	remote netip.AddrPort
	itself bool // the socket is connected to itself
	reset  bool // it was connected
	err    error

	check func(fd uintptr) bool
}

var arrivals = sync.Pool{New: func() any {
	a := &arrival{}
	a.check = a.connected
	return a
}}

// connected says whether a socket has connected, or cannot; else it is to be waited for. A peer that resets a
// connection has accepted it before, else it would have refused it: whether that is over by the time we look must
// make no difference, and something that it has said may still be there to be read.
func (a *arrival) connected(fd uintptr) bool {
	if _, errno := nameOf(unix.SYS_GETPEERNAME, fd); errno == 0 {
		a.itself = a.remote.Port() >= ephemeral && localOf(fd) == a.remote
		return true
	}
	n, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_ERROR)
	switch e := syscall.Errno(n); {
	case err != nil:
		a.err = os.NewSyscallError("getsockopt", err)
	case e == 0 || e == syscall.EINPROGRESS || e == syscall.EALREADY || e == syscall.EINTR:
		return false
	case wasReset(e):
		a.reset = true
	default:
		a.err = os.NewSyscallError("connect", e)
	}
	return true
}

// ephemeral is the first port that a kernel may choose by itself.
const ephemeral = 1024

// localOf is the address of our end of a socket, the zero one when there is none.
func localOf(fd uintptr) netip.AddrPort {
	a, _ := nameOf(unix.SYS_GETSOCKNAME, fd)
	return a
}
