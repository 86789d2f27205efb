package script

import (
	"bytes"
	"net"
	"net/netip"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// talk is a connection for a protocol of the kind's own. What the endpoint says and hears is in moves.
type talk struct {
	call    *call
	moves   []Move
	heard   []byte // what has come from the probe and was not yet waited for
	pending []byte // what was said and not yet read
	at      time.Duration
}

// Dial opens a connection of the route, TLS included, as the real network does.
func (c *call) Dial(r *conn.Route) (net.Conn, error) {
	if err := c.connect(r, true); err != nil {
		return nil, err
	}
	s := c.step
	if s.Status != 0 || s.Headers != nil || s.Body != nil || s.Unannounced || s.Delay.Header > 0 || s.NotHTTP != "" || s.H2 != "" || ofHTTP(s.Hang) || ofHTTP(s.Reset) || ofHTTP(s.Cut) {
		c.complain("", "has what is of http probes alone; want talk")
	}
	c.enter(probe.PhaseWait)
	c.run(sockRead)
	c.raw = true
	return &talk{call: c, moves: s.Talk, at: c.net.clock.now}, nil
}

func ofHTTP[T ~string](at T) bool { return at == atHeader || at == atMidHeader || at == atBody }

// Read reads what the endpoint has said, and waits where it has not yet.
func (t *talk) Read(p []byte) (int, error) {
	for len(t.pending) == 0 {
		if err := t.move(); err != nil {
			return 0, err
		}
	}
	t.call.received = true
	t.call.enter(probe.PhaseTransfer)
	t.call.run(sockRead)
	n := copy(p, t.pending)
	t.pending = t.pending[n:]
	return n, nil
}

// move makes the endpoint's next move.
func (t *talk) move() error {
	c := t.call
	if err := c.ended(); err != nil {
		return err
	}
	if len(t.moves) == 0 {
		if err, is := c.step.broken(atTalk); is {
			c.fail(probe.ReasonDisconnected, tell(err, "%s%s", peer(err), map[bool]string{false: " before it said anything"}[c.received]))
			return err
		}
		return c.hang()
	}
	m := t.moves[0]
	if m.Hear != "" {
		if !t.hear(m.Hear) {
			return c.hang()
		}
		return nil
	}
	if err := c.wait(max(0, t.at+time.Duration(m.Delay)-c.net.clock.now)); err != nil {
		return err
	}
	t.pending, t.moves, t.at = []byte(m.Say), t.moves[1:], c.net.clock.now
	return nil
}

// hear is true when the text has come; what came up to its end is done with.
func (t *talk) hear(text string) bool {
	i := bytes.Index(t.heard, []byte(text))
	if i < 0 {
		return false
	}
	t.heard, t.moves, t.at = t.heard[i+len(text):], t.moves[1:], t.call.net.clock.now
	return true
}

// Write says something to the endpoint, which takes no time.
func (t *talk) Write(p []byte) (int, error) {
	c := t.call
	c.enter(probe.PhaseWrite)
	c.rest(sockRead)
	if err := c.ended(); err != nil {
		return 0, err
	}
	c.written = true
	t.heard = append(t.heard, p...)
	for len(t.moves) > 0 && t.moves[0].Hear != "" && t.hear(t.moves[0].Hear) {
	}
	c.enter(probe.PhaseWait)
	c.run(sockRead)
	return len(p), nil
}

// The rest of net.Conn does nothing: limits are the call's.

// Close does nothing: End ends the attempt.
func (t *talk) Close() error { return nil }

// LocalAddr is an address of documentation.
func (t *talk) LocalAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 254), Port: 1} }

// RemoteAddr is the endpoint's address.
func (t *talk) RemoteAddr() net.Addr {
	at, _ := netip.ParseAddrPort(t.call.address)
	return net.TCPAddrFromAddrPort(at)
}

// SetDeadline does nothing.
func (t *talk) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (t *talk) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (t *talk) SetWriteDeadline(time.Time) error { return nil }
