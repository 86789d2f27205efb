package conn

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// dialer connects as the kernel can. To one address, which is how nearly all attempts connect, it does so
// without package net, whose way is made for names, races and contexts: the call itself ends the waiting.
func dialer() dialFunc {
	others := &net.Dialer{KeepAlive: -1, ControlContext: connecting}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, alone := ctx.(calling)
		to, err := netip.ParseAddrPort(address)
		if !alone || err != nil || to.Addr().Zone() != "" || to.Addr().IsUnspecified() {
			return others.DialContext(ctx, network, address)
		}
		return c.dialTo(netip.AddrPortFrom(to.Addr().Unmap(), to.Port()))
	}
}

// dialTo connects to an address. The kernel may choose the very port that it connects to, and so connect a
// socket to itself when nobody listens, or one that is in use: then it is asked again.
func (c *Call) dialTo(to netip.AddrPort) (net.Conn, error) {
	for again := 2; ; again-- {
		s, err := c.socketTo(to)
		if err != nil && c.isCut() {
			err = context.Canceled
		}
		switch {
		case err != nil && (again == 0 || !errors.Is(err, syscall.EADDRNOTAVAIL)):
			return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(to), Err: err}
		case err != nil:
		case again == 0 || !s.toItself():
			return s, nil
		default:
			s.Close()
		}
	}
}

func (c *Call) socketTo(to netip.AddrPort) (*socket, error) {
	fd, err := unix.Socket(family(to), unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	switch err := unix.Connect(fd, sockaddr(to)); err {
	case nil, unix.EINPROGRESS, unix.EALREADY, unix.EINTR, unix.EISCONN:
	default:
		unix.Close(fd)
		return nil, os.NewSyscallError("connect", err)
	}
	s := &socket{file: os.NewFile(uintptr(fd), ""), remote: to}
	if err := c.waitFor(s); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// waitFor waits until the socket has connected. What cuts the call closes it.
func (c *Call) waitFor(s *socket) error {
	var err error
	if s.raw, err = s.file.SyscallConn(); err == nil {
		err = c.connects(s)
	}
	if err != nil {
		return err
	}
	var failed error
	closed := s.raw.Write(func(fd uintptr) (done bool) {
		done, failed = connected(int(fd))
		return done
	})
	if closed != nil {
		return s.say("connect", closed)
	}
	return failed
}

// connects notes a socket that is connecting, unless the call was cut already.
func (c *Call) connects(s *socket) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isCut() {
		return context.Canceled
	}
	c.dial, c.dials = s, append(c.dials, s.raw)
	return nil
}

// connected says whether a socket has connected, or cannot; else it is to be waited for.
func connected(fd int) (bool, error) {
	if _, err := unix.Getpeername(fd); err == nil {
		return true, os.NewSyscallError("setsockopt", unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1))
	}
	n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	switch e := syscall.Errno(n); {
	case err != nil:
		return true, os.NewSyscallError("getsockopt", err)
	case e == 0 || e == syscall.EINPROGRESS || e == syscall.EALREADY || e == syscall.EINTR:
		return false, nil
	default:
		return true, os.NewSyscallError("connect", e)
	}
}

func family(a netip.AddrPort) int {
	if a.Addr().Is4() {
		return unix.AF_INET
	}
	return unix.AF_INET6
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}
	}
	return &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
}

// socket is a TCP connection.
type socket struct {
	file   *os.File
	raw    syscall.RawConn
	remote netip.AddrPort
}

// Close closes the connection; who reads or writes gets net.ErrClosed.
func (s *socket) Close() error { return s.say("close", s.file.Close()) }

// say is an error of the file's as a connection has it.
func (s *socket) say(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	if errors.Is(err, os.ErrClosed) {
		err = net.ErrClosed
	}
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		err = os.NewSyscallError(op, errno)
	}
	return &net.OpError{Op: op, Net: "tcp", Addr: s.RemoteAddr(), Err: err}
}

// SyscallConn is the kernel's socket.
func (s *socket) SyscallConn() (syscall.RawConn, error) { return s.raw, nil }

// RemoteAddr is the address that was connected to.
func (s *socket) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(s.remote) }

// LocalAddr is the address connected from.
func (s *socket) LocalAddr() net.Addr { return net.TCPAddrFromAddrPort(s.local()) }

// local asks the kernel.
func (s *socket) local() (a netip.AddrPort) {
	s.raw.Control(func(fd uintptr) {
		name, err := unix.Getsockname(int(fd))
		if err != nil {
			return
		}
		switch n := name.(type) {
		case *unix.SockaddrInet4:
			a = netip.AddrPortFrom(netip.AddrFrom4(n.Addr), uint16(n.Port))
		case *unix.SockaddrInet6:
			a = netip.AddrPortFrom(netip.AddrFrom16(n.Addr), uint16(n.Port))
		}
	})
	return a
}

// ephemeral is the first port that a kernel may choose by itself.
const ephemeral = 1024

// toItself is true of a socket that is connected to itself.
func (s *socket) toItself() bool { return s.remote.Port() >= ephemeral && s.local() == s.remote }

// SetDeadline sets when reading and writing end.
func (s *socket) SetDeadline(t time.Time) error { return s.file.SetDeadline(t) }

// SetReadDeadline sets when reading ends.
func (s *socket) SetReadDeadline(t time.Time) error { return s.file.SetReadDeadline(t) }

// SetWriteDeadline sets when writing ends.
func (s *socket) SetWriteDeadline(t time.Time) error { return s.file.SetWriteDeadline(t) }
