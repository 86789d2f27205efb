package conn

import (
	"encoding/binary"
	"net/netip"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// name is an address as the kernel has it, of either family. Package unix makes memory of each.
type name struct {
	address unix.RawSockaddrInet6
	size    uint32
}

func (n *name) v4() *unix.RawSockaddrInet4 {
	return (*unix.RawSockaddrInet4)(unsafe.Pointer(&n.address))
}

// bytesOfPort are a port as the network has it.
func bytesOfPort(port *uint16) []byte { return (*[2]byte)(unsafe.Pointer(port))[:] }

// nameFor is the name of an address without a zone.
func nameFor(a netip.AddrPort) (n name) {
	if a.Addr().Is4() {
		n.size = unix.SizeofSockaddrInet4
		n.v4().Family, n.v4().Addr = unix.AF_INET, a.Addr().As4()
		binary.BigEndian.PutUint16(bytesOfPort(&n.v4().Port), a.Port())
		return n
	}
	n.size = unix.SizeofSockaddrInet6
	n.address.Family, n.address.Addr = unix.AF_INET6, a.Addr().As16()
	binary.BigEndian.PutUint16(bytesOfPort(&n.address.Port), a.Port())
	return n
}

// addrPort is the address, the zero one of another family.
func (n *name) addrPort() netip.AddrPort {
	switch n.address.Family {
	case unix.AF_INET:
		return netip.AddrPortFrom(netip.AddrFrom4(n.v4().Addr), binary.BigEndian.Uint16(bytesOfPort(&n.v4().Port)))
	case unix.AF_INET6:
		return netip.AddrPortFrom(netip.AddrFrom16(n.address.Addr), binary.BigEndian.Uint16(bytesOfPort(&n.address.Port)))
	}
	return netip.AddrPort{}
}

// connectTo has a socket connect to an address. It waits for nothing.
func connectTo(fd int, a netip.AddrPort) syscall.Errno {
	n := nameFor(a)
	_, _, errno := unix.RawSyscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&n.address)), uintptr(n.size))
	return errno
}

// nameOf is the address of one of a socket's ends: of ours by SYS_GETSOCKNAME, of the peer by SYS_GETPEERNAME, which
// none has that has not connected.
func nameOf(end, fd uintptr) (netip.AddrPort, syscall.Errno) {
	n := name{size: unix.SizeofSockaddrInet6}
	_, _, errno := unix.RawSyscall(end, fd, uintptr(unsafe.Pointer(&n.address)), uintptr(unsafe.Pointer(&n.size)))
	if errno != 0 {
		return netip.AddrPort{}, errno
	}
	return n.addrPort(), 0
}
