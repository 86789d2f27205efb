package conn

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"sonde/probe"
	"sonde/probe/conn/memnet"
)

// turns is a server of HTTP/2 whose one connection is the test's to play, and a network that leads to it.
type turns struct {
	*http2.Framer
	t     *testing.T
	net   *Network
	route *Route
	heads atomic.Int32 // HEADERS seen
}

// inTurns plays a server that says its settings at once, and answers nothing.
func inTurns(t *testing.T, first []http2.Setting, f func(s *turns)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mem := &memnet.Net{}
		l := mem.Listen("192.0.2.1:80")
		s := &turns{t: t, net: New(Options{Dial: mem.Dial, Lookup: mem.Lookup}), route: &Route{Address: "192.0.2.1:80", Version: H2C}}
		s.route.Connection = probe.Connection{Reuse: true}
		go func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.Framer = http2.NewFramer(c, c)
			s.WriteSettings(first...)
			io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
			s.reads()
		}()
		f(s)
		s.net.Close()
		l.Close()
		time.Sleep(time.Minute)
	})
}

// reads reads frames to the end.
func (s *turns) reads() {
	for {
		f, err := s.ReadFrame()
		if err != nil {
			return
		}
		if _, ok := f.(*http2.HeadersFrame); ok {
			s.heads.Add(1)
		}
	}
}

// gives makes a connection, has what the server says come, and only then gives the request to the HTTP/2 client.
func (s *turns) gives(l probe.Limits, during func(c *Call)) probe.Attempt {
	c := s.net.Start(context.Background(), l)
	link, err := c.connect(s.route, wish{})
	if err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait()
	req, _ := http.NewRequest("POST", "http://192.0.2.1:80/", strings.NewReader("hello"))
	if during != nil {
		time.AfterFunc(500*time.Millisecond, func() { during(c) })
	}
	resp, err := c.send2(link, s.route, req)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	return c.End(err)
}

// allows has the server say how many streams it allows; Go's client hears of that when a window changes.
func (s *turns) allows(streams uint32) {
	s.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: streams}, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 16})
}

// asks is how often the HTTP/2 client has asked for the end of a request's call.
func (s *sending) asks() int {
	s.call.mu.Lock()
	defer s.call.mu.Unlock()
	return s.asked
}

func none() []http2.Setting { return []http2.Setting{{ID: http2.SettingMaxConcurrentStreams, Val: 0}} }

// TestNoFreeStream has a request wait for a free stream: no byte of it has gone out, and the time is the queue's.
func TestNoFreeStream(t *testing.T) {
	for _, row := range []struct {
		limits probe.Limits
		limit  probe.Limit
		reason probe.Reason
		took   time.Duration
	}{
		{probe.Limits{Total: 2 * time.Second, Connect: time.Second}, probe.LimitConnect, probe.ReasonLimitConnect, time.Second},
		{probe.Limits{Total: 2 * time.Second}, probe.LimitTotal, probe.ReasonLimitTotal, 2 * time.Second},
	} {
		t.Run(string(row.limit), func(t *testing.T) {
			inTurns(t, none(), func(s *turns) {
				a := s.gives(row.limits, nil)
				if a.Reason != row.reason || a.Limit != row.limit || a.Phase != probe.PhaseQueue || a.Evidence != probe.NeverSent {
					t.Errorf("got %q, limit %q in %v, %v: %v", a.Reason, a.Limit, a.Phase, a.Evidence, a.Err)
				}
				if got := a.Phases[probe.PhaseQueue]; got != row.took || !strings.Contains(a.Err.Error(), "its turn") {
					t.Errorf("queued for %v, want %v: %v", got, row.took, a.Err)
				}
				if synctest.Wait(); s.heads.Load() > 0 {
					t.Errorf("the server has seen %d requests", s.heads.Load())
				}
			})
		})
	}
}

// TestAFreeStream has the stream come in time: from then on connect no longer runs.
func TestAFreeStream(t *testing.T) {
	inTurns(t, none(), func(s *turns) {
		a := s.gives(probe.Limits{Connect: time.Second, SockRead: 2 * time.Second}, func(*Call) {
			s.allows(1)
		})
		if a.Reason != probe.ReasonLimitSockRead || a.Phase != probe.PhaseWait || a.Evidence != probe.Unanswered {
			t.Errorf("got %q in %v, %v: %v", a.Reason, a.Phase, a.Evidence, a.Err)
		}
		if a.Phases[probe.PhaseQueue] != 500*time.Millisecond || a.Phases[probe.PhaseWait] != 2*time.Second {
			t.Errorf("got %v", a.Phases)
		}
	})
}

// TestAsksInTurn holds Go's HTTP/2 client to what the evidence of a request that is cut rests on: how often it has
// asked whether the call is over when it waits, and when it writes.
func TestAsksInTurn(t *testing.T) {
	inTurns(t, none(), func(s *turns) {
		c := s.net.Start(context.Background(), probe.Limits{Total: 10 * time.Second})
		l, err := c.connect(s.route, wish{})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		req, _ := http.NewRequest("GET", "http://192.0.2.1:80/", nil)
		g := c.give(l)
		atHeaders := 0
		g.hooks.WroteHeaderField = func(string, []string) { atHeaders = g.asks() }
		time.AfterFunc(time.Second, func() {
			if n := g.asks(); n != asksToWait {
				t.Errorf("who waits has asked %d times, want %d", n, asksToWait)
			}
			s.allows(1)
		})
		_, err = l.cc.RoundTrip(req.WithContext(g))
		c.leave(l, false)
		if c.End(err); atHeaders != asksInTurn {
			t.Errorf("who writes has asked %d times, want %d", atHeaders, asksInTurn)
		}
	})
}

// gate is a connection that takes no more once much is written at a time, until it is closed.
type gate struct {
	net.Conn
	stuck, open chan struct{}
	once, shut  sync.Once
}

func (g *gate) Write(p []byte) (int, error) {
	if len(p) < 8<<10 {
		return g.Conn.Write(p)
	}
	g.once.Do(func() { close(g.stuck) })
	<-g.open
	return 0, net.ErrClosed
}

func (g *gate) Close() error {
	g.shut.Do(func() { close(g.open) })
	return g.Conn.Close()
}

// TestBehindAStuckWrite has a request wait while the write of another's body does not get on: it was never sent, and
// the connection is not used once more. It is in no bubble, for it waits for a mutex of Go's.
func TestBehindAStuckWrite(t *testing.T) {
	t.Parallel()
	mem := &memnet.Net{}
	l := mem.Listen("192.0.2.1:80")
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s := &turns{Framer: http2.NewFramer(c, c)}
			s.WriteSettings()
			go func() {
				io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
				s.reads()
			}()
		}
	}()
	g := &gate{stuck: make(chan struct{}), open: make(chan struct{})}
	n := New(Options{Lookup: mem.Lookup, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := mem.Dial(ctx, network, address)
		g.Conn = c
		return g, err
	}})
	r := &Route{Address: "192.0.2.1:80", Version: H2C, Connection: probe.Connection{Reuse: true}}
	put, get := n.Start(t.Context(), probe.Limits{}), n.Start(t.Context(), probe.Limits{Connect: balking + 50*time.Millisecond})
	one, err := put.connect(r, wish{})
	if err != nil {
		t.Fatal(err)
	}
	two, err := get.connect(r, wish{})
	if err != nil || two != one {
		t.Fatalf("not the same connection: %v", err)
	}
	done := make(chan probe.Attempt)
	go func() {
		req, _ := http.NewRequest("PUT", "http://192.0.2.1:80/", strings.NewReader(strings.Repeat("x", 32<<10)))
		_, err := put.send2(one, r, req)
		done <- put.End(err)
	}()
	<-g.stuck
	req, _ := http.NewRequest("GET", "http://192.0.2.1:80/", nil)
	_, err = get.send2(two, r, req)
	if a := get.End(err); a.Limit != probe.LimitConnect || a.Phase != probe.PhaseQueue || a.Evidence != probe.NeverSent {
		t.Errorf("got limit %q in %v, %v: %v", a.Limit, a.Phase, a.Evidence, a.Err)
	}
	if one.usable() {
		t.Error("the connection may be used once more")
	}
	n.Close()
	if a := <-done; a.Evidence != probe.Unanswered {
		t.Errorf("the upload: got %v: %v", a.Evidence, a.Err)
	}
}
