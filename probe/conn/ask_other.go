//go:build !unix

package conn

import (
	"net"
	"syscall"
)

// Where the kernel cannot be asked, only the watch speaks for the target.

func socketOf(net.Conn) syscall.RawConn { return nil }

func readable(c net.Conn) bool {
	b, ok := c.(interface{ Buffered() int })
	return ok && b.Buffered() > 0
}

func writable(syscall.RawConn) bool { return false }

// tryRead reads what there is, where a connection of the program's own can say it.
func tryRead(c net.Conn, p []byte) (int, error) {
	if t, ok := c.(tryReader); ok {
		return t.TryRead(p)
	}
	return 0, nil
}
