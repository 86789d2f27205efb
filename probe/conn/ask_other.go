//go:build !unix

package conn

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// Where the kernel cannot be asked, only the watch speaks for the target.

func socketOf(net.Conn) syscall.RawConn { return nil }

func readable(c net.Conn) bool {
	b, ok := c.(interface{ Buffered() int })
	return ok && b.Buffered() > 0
}

func writable(syscall.RawConn) bool { return false }

// tryRead reads what there is, and waits for no longer than it takes to see that there is nothing.
func tryRead(c net.Conn, p []byte) (int, error) {
	if t, ok := c.(tryReader); ok {
		return t.TryRead(p)
	}
	c.SetReadDeadline(time.Now().Add(time.Millisecond))
	defer c.SetReadDeadline(time.Time{})
	n, err := c.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return n, err
}
