package dns

import (
	"encoding/binary"
	"net"

	"golang.org/x/net/dns/dnsmessage"
)

// observe is a connection to a name server whose messages are read as they pass. The resolver takes what is a
// net.PacketConn for one that has a message a packet.
func (t *ttls) observe(c net.Conn, met *report) net.Conn {
	if u, ok := c.(*net.UDPConn); ok {
		return &udpConn{UDPConn: u, observer: observer{ttls: t, met: met}}
	}
	return &tcpConn{Conn: c, observer: observer{ttls: t, met: met}}
}

// observer sees one exchange: a question and its answer.
type observer struct {
	ttls *ttls
	met  *report
	id   uint16
	q    dnsmessage.Question
	open bool // a question has gone out, and its answer is awaited
}

func (o *observer) sent(message []byte) {
	defer o.met.guard()
	if o.id, o.q, o.open = parseQuestion(message); o.open {
		o.ttls.asked(o.q)
	}
}

func (o *observer) received(message []byte) {
	defer o.met.guard()
	if !o.open {
		return
	}
	if ttl, positive, ok := parseReply(message, o.id, o.q); ok {
		o.ttls.answered(o.q, ttl, positive)
	}
}

// udpConn is a connection to a name server by UDP.
type udpConn struct {
	*net.UDPConn
	observer observer
}

// Write writes a message.
func (c *udpConn) Write(p []byte) (int, error) {
	c.observer.sent(p)
	return c.UDPConn.Write(p)
}

// Read reads a message.
func (c *udpConn) Read(p []byte) (int, error) {
	n, err := c.UDPConn.Read(p)
	if err == nil {
		c.observer.received(p[:n])
	}
	return n, err
}

// tcpConn is a connection to a name server by TCP, on which the length of a message stands before it.
type tcpConn struct {
	net.Conn
	observer observer
	got      []byte // of an answer, its length included
}

// Write writes a message, in one piece.
func (c *tcpConn) Write(p []byte) (int, error) {
	if len(p) > 2 {
		c.observer.sent(p[2:])
	}
	return c.Conn.Write(p)
}

// Read reads a piece of a message. There is one: after it the resolver hangs up.
func (c *tcpConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.got = append(c.got, p[:n]...); len(c.got) > 2 {
		if whole := 2 + int(binary.BigEndian.Uint16(c.got)); len(c.got) >= whole {
			c.observer.received(c.got[2:whole])
			c.observer.open, c.got = false, nil
		}
	}
	return n, err
}
