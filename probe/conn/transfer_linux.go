package conn

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// transfer is one reading or writing of a socket's. Its function is made once and for all, so that it needs no
// memory; it runs while the socket cannot be closed, so that its number is no other's. The kernel is asked
// without a word to Go's scheduler: the socket waits for nothing, so that there is nothing to schedule
// meanwhile, and handing the processor on and taking it back would cost more than the asking.
type transfer struct {
	p    []byte
	wait bool // for the peer
	n    int
	over bool // the peer sends no more
	err  syscall.Errno

	read, write, asking func(fd uintptr) bool

	call    *Call // that asks
	one     [1]byte
	stirred bool // there was something to read before the call asked
	told    bool // the call knows that all is written
}

var transfers = sync.Pool{New: func() any {
	t := &transfer{}
	t.read, t.write, t.asking = t.receives, t.sends, t.asks
	return t
}}

func newTransfer(p []byte, wait bool) *transfer {
	t := transfers.Get().(*transfer)
	t.p, t.wait, t.n, t.over, t.err = p, wait, 0, false, 0
	return t
}

// end gives the transfer back, and says what came of it; closed is what has kept it from being made.
func (t *transfer) end(op string, s *socket, closed error) (int, error) {
	n, over, errno := t.n, t.over, t.err
	t.p = nil
	transfers.Put(t)
	switch {
	case over && s.reset:
		return n, s.say(op, syscall.ECONNRESET)
	case over:
		return n, io.EOF
	case errno != 0:
		return n, s.say(op, errno)
	case closed == nil, errors.Is(closed, os.ErrDeadlineExceeded):
		return n, s.say(op, closed)
	}
	return n, s.say(op, net.ErrClosed)
}

// receives reads; it is false when there is nothing yet, and that is to be waited for.
func (t *transfer) receives(fd uintptr) bool {
	t.n, t.err = system(unix.SYS_RECVFROM, fd, t.p, 0)
	if t.err == unix.EAGAIN {
		t.err = 0
		return !t.wait
	}
	t.over = t.err == 0 && t.n == 0 && len(t.p) > 0
	return true
}

// sends writes; it is false while the socket does not take all.
func (t *transfer) sends(fd uintptr) bool {
	for t.n < len(t.p) {
		n, errno := system(unix.SYS_SENDTO, fd, t.p[t.n:], unix.MSG_NOSIGNAL)
		switch {
		case errno == unix.EAGAIN:
			return false
		case errno != 0:
			t.err = errno
			return true
		}
		t.n += n
	}
	return true
}

// system asks the kernel to move bytes, again when a signal comes between.
func system(call, fd uintptr, p []byte, flags uintptr) (int, syscall.Errno) {
	for {
		n, _, errno := unix.RawSyscall6(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), flags, 0, 0)
		switch {
		case errno == unix.EINTR:
		case errno != 0:
			return 0, errno
		default:
			return int(n), 0
		}
	}
}

// Read reads.
func (s *socket) Read(p []byte) (int, error) {
	t := newTransfer(p, true)
	return t.end("read", s, s.raw.Read(t.read))
}

// TryRead reads what there is, without waiting.
func (s *socket) TryRead(p []byte) (int, error) {
	t := newTransfer(p, false)
	return t.end("read", s, s.raw.Read(t.read))
}

// Write writes.
func (s *socket) Write(p []byte) (int, error) {
	t := newTransfer(p, true)
	return t.end("write", s, s.raw.Write(t.write))
}

// asks looks, writes and waits. What comes after the look makes the socket ready, so that it is not missed.
func (t *transfer) asks(fd uintptr) bool {
	if t.told {
		return true // there is something to read
	}
	if _, errno := system(unix.SYS_RECVFROM, fd, t.one[:], 0); errno != unix.EAGAIN {
		t.stirred = true
		return true
	}
	if t.n, t.err = system(unix.SYS_SENDTO, fd, t.p, unix.MSG_NOSIGNAL); t.err == unix.EAGAIN {
		t.err = 0
	}
	t.told = t.n == len(t.p) && t.call.trySent(t.n)
	return !t.told
}

// ask asks; see asker. That the socket was closed in the waiting shows when it is read.
func (s *socket) ask(c *Call, p []byte) (n int, told bool, err error) {
	t := newTransfer(p, true)
	t.call, t.told, t.stirred = c, false, false
	closed := s.raw.Read(t.asking)
	t.call, told = nil, t.told
	stirred := t.stirred
	n, err = t.end("write", s, closed)
	switch {
	case stirred:
		return 0, false, errStirred
	case told:
		return n, true, nil
	}
	return n, false, err
}
