package conn

import (
	"net"
	"sync"

	"sonde/probe"
)

// talk is a connection for a protocol of the kind's own.
type talk struct {
	net.Conn // the link
	call     *Call
	link     *link
	once     sync.Once
}

// Dial opens a connection of the route for a protocol of the caller's, TLS included. Reads and writes
// on it move the phases and obey the limits: writing is phase write, reading phase wait until the
// first byte and transfer after it; sock_read runs from the dial or from the last write, and anew at
// each byte read. It is closed by End.
func (c *Call) Dial(r *Route) (net.Conn, error) {
	if c.own != nil {
		c.own.Close()
	}
	l, err := c.connect(r, wish{fresh: true, raw: true, looks: true})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.x.raw = true
	c.mu.Unlock()
	c.to(probe.PhaseWait, sockRead, numLimits)
	c.own = &talk{Conn: l, call: c, link: l}
	return c.own, nil
}

// Read reads; what cut the call is its error.
func (t *talk) Read(p []byte) (int, error) {
	n, err := t.link.Read(p)
	if n > 0 {
		t.call.to(probe.PhaseTransfer, sockRead, numLimits)
	}
	if err != nil {
		err = t.call.failed(err)
	}
	return n, err
}

// Write writes; what cut the call is its error.
func (t *talk) Write(p []byte) (int, error) {
	t.call.to(probe.PhaseWrite, numLimits, sockRead)
	n, err := t.link.Write(p)
	if err != nil {
		return n, t.call.failed(err)
	}
	t.call.to(probe.PhaseWait, sockRead, numLimits)
	return n, nil
}

// Close closes the connection.
func (t *talk) Close() error {
	t.once.Do(func() {
		t.link.close()
		t.link.finish(t.call, false)
	})
	return nil
}
