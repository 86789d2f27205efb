package conn

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"sonde/probe"
)

// errNobodyWaits ends a lookup whose askers have all gone.
var errNobodyWaits = errors.New("nobody waits for the name any more")

// timedResolver is Go's own resolver, which does not tell for how long an answer holds; so the messages that it
// exchanges with name servers are read as they pass. What /etc/hosts says has no TTL, and holds not at all.
func timedResolver(dial dialFunc, stray func(*probe.PanicError)) lookupTTL {
	lookup := resolver(func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if t, ok := ctx.Value(ttlsKey{}).(*ttls); ok && err == nil {
			c = t.overhear(c, noteOf(ctx, stray))
		}
		return c, err
	}, stray)
	return func(ctx context.Context, host string) ([]net.IP, time.Duration, error) {
		t := &ttls{questions: map[dnsmessage.Question]time.Duration{}}
		ips, err := lookup(context.WithValue(ctx, ttlsKey{}, t), host)
		return ips, t.least(), err
	}
}

type ttlsKey struct{}

// Of a question: not answered, or by a failure; answered by what does not say for how long it holds.
const (
	openQuestion = -1
	endless      = maxTTL
)

// maxQuestions bounds how many questions of one lookup are kept in mind: a search list has some.
const maxQuestions = 64

// ttls gathers, for each question of a lookup, how long its answer holds.
type ttls struct {
	mu        sync.Mutex
	questions map[dnsmessage.Question]time.Duration
	positive  bool // some answer had an address
	lost      bool // there were too many questions
}

// least is how long all that was answered holds; 0 where something was not, so that a server that failed for one
// family of addresses is asked again.
func (t *ttls) least() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.positive || t.lost {
		return 0
	}
	least := endless
	for _, ttl := range t.questions {
		least = min(least, ttl)
	}
	return max(0, least)
}

// asked notes a question.
func (t *ttls) asked(q dnsmessage.Question) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch _, known := t.questions[q]; {
	case known:
	case len(t.questions) >= maxQuestions:
		t.lost = true
	default:
		t.questions[q] = openQuestion
	}
}

// answered notes an answer to a question.
func (t *ttls) answered(q dnsmessage.Question, ttl time.Duration, positive bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.questions[q] = ttl
	t.positive = t.positive || positive
}

// query is the header and the question of a message that asks; false when it is none.
func query(message []byte) (id uint16, q dnsmessage.Question, ok bool) {
	var p dnsmessage.Parser
	h, err := p.Start(message)
	if err != nil || h.Response {
		return 0, q, false
	}
	q, err = p.Question()
	return h.ID, q, err == nil
}

// reply reads an answer to a question that was asked under an ID: how long it holds, and whether it has an
// address. What answers another question, is cut short, or is a failure, is none.
func reply(message []byte, id uint16, q dnsmessage.Question) (ttl time.Duration, positive, ok bool) {
	var p dnsmessage.Parser
	h, err := p.Start(message)
	if err != nil || !h.Response || h.ID != id || h.Truncated || h.RCode != dnsmessage.RCodeSuccess && h.RCode != dnsmessage.RCodeNameError {
		return 0, false, false
	}
	about, err := p.Question()
	if err != nil || about.Type != q.Type || about.Class != q.Class || !strings.EqualFold(about.Name.String(), q.Name.String()) {
		return 0, false, false
	}
	if err := p.SkipAllQuestions(); err != nil {
		return 0, false, false
	}
	ttl = endless
	for {
		r, err := p.AnswerHeader()
		if err == dnsmessage.ErrSectionDone {
			break
		}
		if err != nil || p.SkipAnswer() != nil {
			return 0, false, false
		}
		positive = positive || r.Type == q.Type
		ttl = min(ttl, time.Duration(r.TTL)*time.Second)
	}
	if !positive {
		ttl = min(ttl, negative(&p))
	}
	return ttl, positive, true
}

// negative is how long it holds that there is no answer (RFC 2308); the parser is at the authorities. Where no
// SOA says so, and small resolvers send none, it holds for as long as what else was answered.
func negative(p *dnsmessage.Parser) time.Duration {
	for {
		h, err := p.AuthorityHeader()
		if err != nil {
			return endless
		}
		if h.Type != dnsmessage.TypeSOA {
			if p.SkipAuthority() != nil {
				return endless
			}
			continue
		}
		soa, err := p.SOAResource()
		if err != nil {
			return endless
		}
		return time.Duration(min(h.TTL, soa.MinTTL)) * time.Second
	}
}

// overhear is a connection to a name server whose messages are read as they pass. The resolver takes what is a
// net.PacketConn for one that has a message a packet.
func (t *ttls) overhear(c net.Conn, n *note) net.Conn {
	if u, ok := c.(*net.UDPConn); ok {
		return &packets{UDPConn: u, ear: ear{ttls: t, note: n}}
	}
	return &sequence{Conn: c, ear: ear{ttls: t, note: n}}
}

// ear hears one exchange: a question and its answer.
type ear struct {
	ttls *ttls
	note *note
	id   uint16
	q    dnsmessage.Question
	open bool
}

func (e *ear) sent(message []byte) {
	defer e.note.guard()
	if e.id, e.q, e.open = query(message); e.open {
		e.ttls.asked(e.q)
	}
}

func (e *ear) came(message []byte) {
	defer e.note.guard()
	if !e.open {
		return
	}
	if ttl, positive, ok := reply(message, e.id, e.q); ok {
		e.ttls.answered(e.q, ttl, positive)
	}
}

// packets is a connection to a name server by UDP.
type packets struct {
	*net.UDPConn
	ear ear
}

// Write writes a message.
func (c *packets) Write(p []byte) (int, error) {
	c.ear.sent(p)
	return c.UDPConn.Write(p)
}

// Read reads a message.
func (c *packets) Read(p []byte) (int, error) {
	n, err := c.UDPConn.Read(p)
	if err == nil {
		c.ear.came(p[:n])
	}
	return n, err
}

// sequence is a connection to a name server by TCP, on which the length of a message stands before it.
type sequence struct {
	net.Conn
	ear ear
	got []byte // of an answer, its length included
}

// Write writes a message, in one piece.
func (c *sequence) Write(p []byte) (int, error) {
	if len(p) > 2 {
		c.ear.sent(p[2:])
	}
	return c.Conn.Write(p)
}

// Read reads a piece of a message. There is one: after it the resolver hangs up.
func (c *sequence) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.got = append(c.got, p[:n]...); len(c.got) > 2 {
		if whole := 2 + int(binary.BigEndian.Uint16(c.got)); len(c.got) >= whole {
			c.ear.came(c.got[2:whole])
			c.ear.open, c.got = false, nil
		}
	}
	return n, err
}
