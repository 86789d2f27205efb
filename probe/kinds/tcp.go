package kinds

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"sonde/probe"
	"sonde/probe/conn"
)

func init() { register("tcp", newTCP) }

// TCP declares a connection, with TLS or without, and what is said on it. A connection that comes about
// and a dialogue that goes as declared pass. Every attempt makes a connection of its own, so of the common
// key connection only dns_cache and per_host say anything here. Whoever declares a dialogue wants it held
// again and again, so it is repeated after any transient failure, whatever it sends.
type TCP struct {
	// Where the connection leads, host:port.
	Address string `yaml:"address" validate:"required" example:"db.example.com:5432"`
	// TLS from the first byte on, when the key is there; {} is TLS with all its defaults.
	TLS *TLS `yaml:"tls"`
	// What is said, step by step. Without it the connection alone is the check.
	Dialogue []TCPStep `yaml:"dialogue"`

	house *house
}

// TCPStep is one step of a dialogue: expect or send, not both.
type TCPStep struct {
	// What the peer must say: a regular expression (RE2) that matches somewhere in what has come since
	// the last match, of which at most 64 KiB are kept. In it ^ and $ match at each line's beginning and end,
	// so "^221 " finds a line after the one that "^220 " has matched; of a line that ends with \r\n the \r
	// stands before its $. A peer that closes before it has said anything, or
	// anything since the last send, fails with reason "disconnected", one that is silent with
	// "limit_sock_read" or whichever limit passes first, one that has said something else, and then closes, is
	// silent, goes on past 64 KiB or until limit total or the run's deadline passes, with "assertion". After a
	// limit or a reset that is worth another attempt, since the peer may have had more to say; after a close or
	// 64 KiB it is not.
	Expect Regexp `yaml:"expect" alone:"true"`
	// What is sent, as it is written: nothing is added, no line end either.
	Send string `yaml:"send"`
}

func newTCP(h *house) probe.Settings { return &TCP{house: h} }

// Check reports what the fields owe each other.
func (s *TCP) Check(probe.Env) []probe.Fault {
	var faults []probe.Fault
	if _, err := s.address(); err != nil {
		faults = append(faults, probe.Fault{Place: "address", Text: fmt.Sprintf("is %q, %v", s.Address, err)})
	}
	for i, step := range s.Dialogue {
		place := fmt.Sprintf("dialogue[%d]", i)
		switch {
		case step.Expect != "" && step.Send != "":
			faults = append(faults, probe.Fault{Place: place, Text: "has expect and send, want two steps"})
		case step.Expect == "" && step.Send == "":
			faults = append(faults, probe.Fault{Place: place, Text: "has neither expect nor send, want one of them"})
		}
	}
	return append(faults, s.TLS.check()...)
}

var errAddress = errors.New("want host:port, such as db.example.com:5432 or [2001:db8::1]:5432")

// address is the address in one form: in lower case, of ASCII letters.
func (s *TCP) address() (string, error) {
	host, port, err := net.SplitHostPort(s.Address)
	if err != nil || host == "" || strings.ContainsAny(host, "/@ \t\r\n") {
		return "", errAddress
	}
	if !isPort(port) {
		return "", errors.New("want a port from 1 to 65535")
	}
	if !isASCII(host) {
		if host, err = idna.Lookup.ToASCII(host); err != nil {
			return "", errAddress
		}
	}
	return net.JoinHostPort(strings.ToLower(host), port), nil
}

// Target is the address.
func (s *TCP) Target() string { return s.Address }

// Host is the address in the form that probes of other kinds give it, too.
func (s *TCP) Host() string {
	address, _ := s.address()
	return address
}

// RetriesSilence is true of a dialogue in which the peer has to say something.
func (s *TCP) RetriesSilence(probe.Env) bool {
	return slices.ContainsFunc(s.Dialogue, func(step TCPStep) bool { return step.Expect != "" })
}

// KeepsConnections is false: that a connection comes about is what is checked.
func (s *TCP) KeepsConnections() bool { return false }

// Prober makes the prober. It reads the files of the tls block.
func (s *TCP) Prober(env probe.Env) (probe.Prober, error) {
	address, err := s.address()
	if err != nil {
		return nil, &probe.Fault{Place: "address", Text: fmt.Sprintf("is %q, %v", s.Address, err)}
	}
	p := &tcpProber{net: s.house.net, limits: env.Limits, secrets: secrets{slices.Clone(env.Secrets)}}
	how := probe.Connection{DNSCache: env.Connection.DNSCache, PerHost: env.Connection.PerHost} // none is kept
	p.route = &conn.Route{Address: address, Connection: how}
	if s.TLS != nil {
		if p.route.TLS, _, err = s.house.tls(s.TLS, env.Dir); err != nil {
			return nil, err
		}
	}
	for _, step := range s.Dialogue {
		line := dialogueStep{send: []byte(step.Send)}
		if step.Expect != "" {
			line.expect = step.Expect.ofLines()
		}
		p.dialogue = append(p.dialogue, line)
		p.secrets.sent(step.Send)
	}
	return p, nil
}

// tcpProber holds a dialogue once an attempt. Nothing changes it after it was built.
type tcpProber struct {
	net      conn.Starter
	limits   probe.Limits
	route    *conn.Route
	dialogue []dialogueStep
	secrets  secrets
}

// Secures reports whether TLS comes first.
func (p *tcpProber) Secures() bool { return p.route.TLS != nil }

// Probe makes one attempt.
func (p *tcpProber) Probe(ctx context.Context, _ probe.Try) probe.Attempt {
	call := guarded{Caller: p.net.Start(ctx, p.limits)}
	defer call.guard()
	d := dialogue{secrets: p.secrets}
	c, err := call.Dial(p.route)
	if err == nil {
		err = d.hold(c, p.dialogue)
	}
	a := call.End(err)
	a.Repeatable = true
	d.judge(&a, p.limits.Total)
	a.Err = p.secrets.clean(a.Err)
	return a
}
