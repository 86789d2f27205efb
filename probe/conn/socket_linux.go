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
			return accepted(others.DialContext(ctx, network, address))
		}
		return c.dialTo(netip.AddrPortFrom(to.Addr().Unmap(), to.Port()))
	}
}

// socket is a TCP connection.
type socket struct {
	file   *os.File
	raw    syscall.RawConn
	remote netip.AddrPort
	reset  bool               // the peer has reset it before we had a look: the kernel has told so already
	room   [1]syscall.RawConn // for the list of sockets that are connecting: there is nearly always one
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
	s.raw.Control(func(fd uintptr) { a = localOf(fd) })
	return a
}

// hurry has small writes go out at once, also while the peer has yet to say that it has an earlier one. Most
// connections have one write at a time, and do without.
func (s *socket) hurry() {
	s.raw.Control(func(fd uintptr) { unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NODELAY, 1) })
}

// SetDeadline sets when reading and writing end.
func (s *socket) SetDeadline(t time.Time) error { return s.file.SetDeadline(t) }

// SetReadDeadline sets when reading ends.
func (s *socket) SetReadDeadline(t time.Time) error { return s.file.SetReadDeadline(t) }

// SetWriteDeadline sets when writing ends.
func (s *socket) SetWriteDeadline(t time.Time) error { return s.file.SetWriteDeadline(t) }
