package conn

import (
	"encoding/binary"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// peerUnread asks the kernel for the other end of a TCP connection, which it knows when that is a socket of this
// machine: it is true when what was sent waits there to be read, or the connection waits to be accepted.
func peerUnread(local, remote netip.AddrPort) bool {
	if local.Addr().Is4() != remote.Addr().Is4() {
		return false
	}
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, peerQuestion(remote, local), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return false
	}
	var answer [512]byte
	n, _, err := unix.Recvfrom(fd, answer[:], unix.MSG_DONTWAIT)
	return err == nil && unread(answer[:n])
}

// waitedForCPU is how long in all there was somebody on this machine who waited for a processor (PSI); ok is false
// where the kernel does not tell.
func waitedForCPU() (waited time.Duration, ok bool) {
	text, err := os.ReadFile("/proc/pressure/cpu")
	if err != nil {
		return 0, false
	}
	line, _, _ := strings.Cut(string(text), "\n")
	_, total, _ := strings.Cut(line, " total=")
	n, err := strconv.ParseInt(total, 10, 64)
	return time.Duration(n) * time.Microsecond, err == nil && strings.HasPrefix(line, "some ")
}

// Where the numbers stand in the messages of sock_diag (linux/inet_diag.h).
const (
	diagQuestion    = unix.SizeofNlMsghdr + 56
	diagAnswer      = unix.SizeofNlMsghdr + 72
	diagFamily      = unix.SizeofNlMsghdr
	diagProtocol    = unix.SizeofNlMsghdr + 1
	diagState       = unix.SizeofNlMsghdr + 1 // of an answer
	diagStates      = unix.SizeofNlMsghdr + 4
	diagSourcePort  = unix.SizeofNlMsghdr + 8
	diagTargetPort  = unix.SizeofNlMsghdr + 10
	diagSource      = unix.SizeofNlMsghdr + 12
	diagTarget      = unix.SizeofNlMsghdr + 28
	diagCookie      = unix.SizeofNlMsghdr + 48
	diagUnread      = unix.SizeofNlMsghdr + 56
	diagInode       = unix.SizeofNlMsghdr + 68
	diagEstablished = 1
)

// peerQuestion asks for the socket that has address source and is connected to target.
func peerQuestion(source, target netip.AddrPort) []byte {
	q := make([]byte, diagQuestion)
	native := binary.NativeEndian
	native.PutUint32(q, diagQuestion)
	native.PutUint16(q[4:], unix.SOCK_DIAG_BY_FAMILY)
	native.PutUint16(q[6:], unix.NLM_F_REQUEST)
	q[diagFamily], q[diagProtocol] = unix.AF_INET6, unix.IPPROTO_TCP
	if source.Addr().Is4() {
		q[diagFamily] = unix.AF_INET
	}
	native.PutUint32(q[diagStates:], ^uint32(0))
	binary.BigEndian.PutUint16(q[diagSourcePort:], source.Port())
	binary.BigEndian.PutUint16(q[diagTargetPort:], target.Port())
	copy(q[diagSource:], source.Addr().AsSlice())
	copy(q[diagTarget:], target.Addr().AsSlice())
	native.PutUint64(q[diagCookie:], ^uint64(0)) // none
	return q
}

// unread is what an answer says. A connection that nobody has accepted yet has no inode.
func unread(answer []byte) bool {
	native := binary.NativeEndian
	if len(answer) < diagAnswer || native.Uint16(answer[4:]) != unix.SOCK_DIAG_BY_FAMILY || answer[diagState] != diagEstablished {
		return false
	}
	return native.Uint32(answer[diagUnread:]) > 0 || native.Uint32(answer[diagInode:]) == 0
}
