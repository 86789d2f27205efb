package script_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
	"sonde/probe/kinds"
	"sonde/probe/retry"
	"sonde/probe/script"
)

// world is the real network over one in memory, in a bubble, with endpoints that do what a test's script
// says: what the scripted network is held against.
type world struct {
	t    *testing.T
	mem  *memnet.Net
	net  *conn.Network
	test *script.Test
	over chan struct{}

	mu       sync.Mutex
	attempt  int  // the one that goes on, from 0; -1 is before the first
	warm     bool // an attempt goes on that leaves a connection
	hop      int
	requests int
	names    []string
	listened map[string]bool
	conns    []*memnet.Conn
}

// reallyPlay is Network.Play of the real network. It must be called in a bubble.
func reallyPlay(t *testing.T, config string, test *script.Test) script.Played {
	w := &world{t: t, mem: &memnet.Net{}, test: test, attempt: -1, over: make(chan struct{}), listened: map[string]bool{}}
	w.net = conn.New(conn.Options{Dial: w.dial, Lookup: w.lookup})
	p := load(t, config, kinds.Over(starter{w, w.net.Starter()}, "1.2.3"), test.Probe)
	if test.Kept || test.Script[0][0].Stale {
		w.warm = true // one attempt more, which leaves a connection
		p.Prober.Probe(t.Context(), probe.Try{Number: 1})
		w.warm, w.requests = false, 0
		time.Sleep(time.Millisecond)
	}
	chance := 0.5
	if test.Chance != nil {
		chance = *test.Chance
	}
	r := p.Run(t.Context(), &retry.Engine{Chance: func() float64 { return chance }}, probe.Sinks{})
	close(w.over)
	if c, ok := p.Prober.(io.Closer); ok {
		c.Close()
	}
	w.net.Close()
	time.Sleep(time.Second) // for those who wait at this very instant
	return script.Played{Result: r, Requests: w.requests}
}

// starter tells the world of what begins.
type starter struct {
	w *world
	conn.Starter
}

func (s starter) Start(ctx context.Context, l probe.Limits) conn.Caller {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if !s.w.warm {
		s.w.attempt++
	}
	s.w.hop = 0
	return caller{s.w, s.Starter.Start(ctx, l)}
}

type caller struct {
	w *world
	conn.Caller
}

func (c caller) RoundTrip(r *conn.Route, req *http.Request, fresh bool) (*http.Response, error) {
	c.w.next()
	return c.Caller.RoundTrip(r, req, fresh)
}

func (c caller) Dial(r *conn.Route) (net.Conn, error) {
	c.w.next()
	return c.Caller.Dial(r)
}

// End ends the attempt. Before one that makes its connection anew the endpoint goes away.
func (c caller) End(err error) probe.Attempt {
	a := c.Caller.End(err)
	c.w.mu.Lock()
	anew := connects(c.w.stepAt(c.w.attempt+1, 1))
	c.w.mu.Unlock()
	if anew {
		c.w.closeAll()
	}
	return a
}

func (w *world) next() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hop++
}

// step is what the endpoint does now.
func (w *world) step() *script.Step {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stepAt(w.attempt, w.hop)
}

func (w *world) stepAt(attempt, hop int) *script.Step {
	if attempt < 0 {
		return &script.Step{}
	}
	steps := w.test.Script[min(attempt, len(w.test.Script)-1)]
	return &steps[max(0, min(hop, len(steps))-1)]
}

// asked counts a request.
func (w *world) asked() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests++
}

// sleep is a pause that does not outlast the test.
func (w *world) sleep(ctx context.Context, d script.Span) error {
	if d == 0 {
		return nil
	}
	select {
	case <-time.After(time.Duration(d)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-w.over:
		return errors.New("the test is over")
	}
}

func (w *world) lookup(ctx context.Context, host string) ([]net.IP, error) {
	s := w.step()
	if err := w.sleep(ctx, s.Delay.Resolve); err != nil {
		return nil, err
	}
	if s.Hang == "resolve" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	switch s.DNS {
	case "not_found":
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	case "temporary":
		return nil, &net.DNSError{Err: "server misbehaving", Name: host, IsTemporary: true}
	case "timeout":
		return nil, &net.DNSError{Err: "i/o timeout", Name: host, IsTimeout: true, IsTemporary: true}
	case "server":
		return nil, &net.DNSError{Err: "server misbehaving", Name: host}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, name := range w.names {
		if name == host {
			return []net.IP{net.IPv4(192, 0, 2, byte(i+1))}, nil
		}
	}
	w.names = append(w.names, host)
	return []net.IP{net.IPv4(192, 0, 2, byte(len(w.names)))}, nil
}

func (w *world) dial(ctx context.Context, network, address string) (net.Conn, error) {
	s := w.step()
	at, _ := net.ResolveTCPAddr(network, address)
	failed := func(err error) error { return &net.OpError{Op: "dial", Net: network, Addr: at, Err: err} }
	if err := w.sleep(ctx, s.Delay.Connect); err != nil {
		return nil, failed(err)
	}
	errno := map[script.Connect]syscall.Errno{"refused": syscall.ECONNREFUSED, "unreachable": syscall.EHOSTUNREACH, "timeout": syscall.ETIMEDOUT}
	switch {
	case s.Hang == "connect":
		<-ctx.Done()
		return nil, failed(ctx.Err())
	case s.Connect != "":
		return nil, failed(os.NewSyscallError("connect", errno[s.Connect]))
	case s.Reset == "connect":
		return nil, failed(os.NewSyscallError("connect", syscall.ECONNRESET))
	}
	w.listen(address)
	return w.mem.Dial(ctx, network, address)
}

// listen sees to it that somebody listens at the address, until the test is over.
func (w *world) listen(address string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listened[address] {
		return
	}
	w.listened[address] = true
	l := w.mem.Listen(address)
	go func() { <-w.over; l.Close() }()
	_, port, _ := net.SplitHostPort(address)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.serve(c.(*memnet.Conn), port)
		}
	}()
}

// serve is one connection. The port says what is spoken there.
func (w *world) serve(c *memnet.Conn, port string) {
	defer c.Close()
	go func() { <-w.over; c.Abort() }()
	w.mu.Lock()
	w.conns = append(w.conns, c)
	w.mu.Unlock()
	var stream net.Conn = c
	r := bufio.NewReader(c)
	if port == "3128" {
		if port = w.proxy(c, r); port == "" {
			return
		}
	}
	if port == "443" || port == "853" {
		if stream = w.secure(c); stream == nil {
			return
		}
	}
	switch port {
	case "25", "853":
		w.talk(c, stream)
	case "8080":
		w.http2(c)
	default:
		if stream != net.Conn(c) {
			r = bufio.NewReader(stream)
		}
		for w.http1(c, stream, r) {
		}
	}
}

// broken ends the connection at a place, when the step says so. What was written before was read by
// then: in a bubble time goes on only when all wait.
func (w *world) broken(s *script.Step, at string, c *memnet.Conn, stream io.Closer) bool {
	switch at {
	case string(s.Reset):
		time.Sleep(time.Nanosecond)
		c.Abort()
	case string(s.Cut):
		c.CloseWrite()
		io.Copy(io.Discard, c)
	case string(s.Hang):
		io.Copy(io.Discard, c)
	default:
		return false
	}
	return true
}
