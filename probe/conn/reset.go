package conn

import (
	"errors"
	"net"
	"syscall"
	"time"
)

// wasReset is true of what connecting fails with when the peer has accepted the connection and reset it at once.
func wasReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// accepted is what dialling gives, with a connection also where the peer has reset it before we had a look: what
// is told must not hang on who is faster.
func accepted(c net.Conn, err error) (net.Conn, error) {
	var op *net.OpError
	if wasReset(err) && errors.As(err, &op) && op.Addr != nil {
		return &lost{op}, nil
	}
	return c, err
}

// lost is a connection that its peer has reset.
type lost struct{ err *net.OpError }

// Read fails: the connection was reset.
func (c *lost) Read([]byte) (int, error) { return 0, c.failed("read") }

// Write fails: the connection was reset.
func (c *lost) Write([]byte) (int, error) { return 0, c.failed("write") }

func (c *lost) failed(op string) error {
	return &net.OpError{Op: op, Net: c.err.Net, Addr: c.err.Addr, Err: c.err.Err}
}

// Close does nothing: nothing is open.
func (c *lost) Close() error { return nil }

// RemoteAddr is the address that was connected to.
func (c *lost) RemoteAddr() net.Addr { return c.err.Addr }

// LocalAddr is of no port: the kernel has taken it back.
func (c *lost) LocalAddr() net.Addr { return &net.TCPAddr{} }

// SetDeadline does nothing: nothing here waits.
func (c *lost) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (c *lost) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (c *lost) SetWriteDeadline(time.Time) error { return nil }
