package conn_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// slow answers each request after d, and counts connections and requests.
type slow struct {
	*memnet.Net
	d                     time.Duration
	mu                    sync.Mutex
	conns, open, most, in int
}

func (s *slow) add(conns, open, in int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns, s.open, s.in = s.conns+conns, s.open+open, s.in+in
	s.most = max(s.most, s.open)
}

// dial counts the connections of the other end.
func (s *slow) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := s.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	s.add(1, 1, 0)
	return &counted{Conn: c, closed: func() { s.add(0, -1, 0) }}, nil
}

type counted struct {
	net.Conn
	once   sync.Once
	closed func()
}

func (c *counted) Close() error {
	c.once.Do(c.closed)
	return c.Conn.Close()
}

func (s *slow) serve(c *memnet.Conn, r *bufio.Reader) {
	s.add(1, 1, 0)
	defer s.add(0, -1, 0)
	for {
		if _, err := request(r); err != nil {
			return
		}
		s.add(0, 0, 1)
		time.Sleep(s.d)
		io.WriteString(c, ok200)
	}
}

func TestPerHost(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		s := &slow{d: time.Second}
		w.script(address, s.serve)
		r := route()
		r.Connection.PerHost = 1
		type ended struct {
			n int
			tried
		}
		done := make(chan ended, 10)
		for i := range 4 {
			go func() { done <- ended{i, w.get(r)} }()
			synctest.Wait()
		}
		for i := range 4 {
			got := <-done
			if got.n != i || !got.OK || got.Phases[probe.PhaseQueue] != time.Duration(i)*time.Second {
				t.Errorf("at %d: attempt %d, queued %v, %v", i, got.n, got.Phases[probe.PhaseQueue], got.Err)
			}
		}
		if s.conns != 1 || s.in != 4 {
			t.Errorf("%d connections, %d requests", s.conns, s.in)
		}
	})
}

func TestPoolTimeout(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		s := &slow{d: 8 * time.Second}
		w.script(address, s.serve)
		r := route()
		r.Connection.PerHost = 1
		go w.get(r)
		synctest.Wait()
		got := w.get(r)
		if got.Reason != probe.ReasonPoolTimeout || got.took != 5*time.Second || got.Limit != probe.LimitConnect || got.Phase != probe.PhaseQueue || got.Evidence != probe.NeverSent {
			t.Errorf("got %q, limit %q, in %v after %v", got.Reason, got.Limit, got.Phase, got.took)
		}
		time.Sleep(5 * time.Second)
		if got := w.get(r); !got.OK || !got.Reused {
			t.Errorf("got %v, reused %v: the place was lost", got.Err, got.Reused)
		}
	})
}

// TestMaxConnections has eight hosts share two connections: each host gets its turn, and a connection
// that idles makes room.
func TestMaxConnections(t *testing.T) {
	counts := &slow{}
	inBubble(t, conn.Options{MaxConnections: 2, Dial: counts.dial}, func(w *world) {
		counts.Net = w.mem
		s := &slow{d: time.Second}
		for i := range 8 {
			w.script("192.0.2."+strconv.Itoa(i)+":80", s.serve)
		}
		type ended struct {
			host int
			tried
		}
		done := make(chan ended, 100)
		for range 2 {
			for i := range 8 {
				go func() {
					r := route()
					r.Address = "192.0.2." + strconv.Itoa(i) + ":80"
					l := standard
					l.Connect = 0
					done <- ended{i, w.try(try{route: r, limits: l})}
				}()
				synctest.Wait()
			}
		}
		for i := range 16 {
			if got := <-done; !got.OK || got.Phases[probe.PhaseQueue] > time.Duration(i/2)*time.Second {
				t.Errorf("at %d: host %d, queued %v, %v", i, got.host, got.Phases[probe.PhaseQueue], got.Err)
			}
		}
		if counts.most != 2 {
			t.Errorf("%d connections at a time, want 2", counts.most)
		}
	})
}

// TestOneConnection has many calls of an HTTP/2 route begin at once: they share one connection.
func TestOneConnection(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		var conns atomic.Int32
		w.http2Script(func(p *peer) {
			conns.Add(1)
			for range 10 {
				s := p.stream()
				time.AfterFunc(time.Second, func() { p.header(s, true, ":status", "200") })
				time.Sleep(10 * time.Millisecond)
			}
			p.rest()
		})
		done := make(chan tried)
		for range 10 {
			go func() { done <- w.get(h2cRoute()) }()
		}
		for range 10 {
			if got := <-done; !got.OK {
				t.Errorf("got %v", got.Err)
			}
		}
		if n := conns.Load(); n != 1 {
			t.Errorf("%d connections, want 1", n)
		}
	})
}

// TestStreamLimit has a server that takes one stream at a time.
func TestStreamLimit(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		l := w.mem.Listen(address)
		var p http.Protocols
		p.SetUnencryptedHTTP2(true)
		s := &http.Server{Protocols: &p, HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 1}, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
		})}
		go s.Serve(l)
		defer s.Close()
		r := h2cRoute()
		r.Connection.PerHost = 1
		w.get(r)
		done := make(chan tried)
		for range 3 {
			go func() { done <- w.get(r) }()
		}
		for range 3 {
			if got := <-done; !got.OK || !got.Reused {
				t.Errorf("got %v, reused %v", got.Err, got.Reused)
			}
		}
	})
}

func TestMaxAge(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, answering(ok200))
		r := route()
		r.Connection.MaxAge = 30 * time.Second
		for i := range 8 {
			if got := w.get(r); got.Reused != (i%3 != 0) {
				t.Errorf("at %v: reused %v", time.Duration(i)*10*time.Second, got.Reused)
			}
			time.Sleep(10 * time.Second)
		}
	})
}

func TestRest(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		s := &slow{}
		w.script(address, s.serve)
		every := func(d time.Duration) *conn.Route {
			r := route()
			r.Due = func(t time.Time) time.Time { return t.Add(d) }
			return r
		}
		often, seldom := every(10*time.Second), every(time.Minute)
		mine := w.Use(seldom)
		w.get(seldom)
		if got := w.get(seldom); !got.Reused {
			t.Error("not kept between the attempts of a run")
		}
		mine.Rest()
		synctest.Wait()
		if s.open != 0 {
			t.Error("kept though nobody is due")
		}
		theirs := w.Use(often)
		w.get(seldom)
		mine.Rest()
		synctest.Wait()
		if s.open != 1 {
			t.Error("not kept though another is due")
		}
		w.get(often) // its run goes on
		theirs.Rest()
		mine.Release()
		theirs.Release()
		synctest.Wait()
		if s.open != 0 {
			t.Error("kept though all have gone")
		}
	})
}

// TestRestOfTheOld has a connection rest until its probe is due, though it is too old to be used then: it is closed
// at once, whatever idle_timeout says. One that is not lies and waits.
func TestRestOfTheOld(t *testing.T) {
	for name, row := range map[string]struct {
		idle, due time.Duration
		open      int
	}{
		"due later, idle_timeout none": {0, 10 * time.Minute, 0},
		"due later, idle_timeout 1h":   {time.Hour, 10 * time.Minute, 0},
		"due before":                   {0, 4 * time.Minute, 1},
	} {
		inBubbleNamed(t, name, func(w *world) {
			s := &slow{}
			w.script(address, s.serve)
			r := route()
			r.Connection.IdleTimeout = row.idle
			r.Due = func(t time.Time) time.Time { return t.Add(row.due) }
			use := w.Use(r)
			w.get(r)
			use.Rest()
			synctest.Wait()
			if s.open != row.open {
				w.t.Errorf("%d connections are open, want %d", s.open, row.open)
			}
		})
	}
}

// TestCloseInUse closes the network under calls in every state.
func TestCloseInUse(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		s := &slow{d: time.Minute}
		w.script(address, s.serve)
		r := route()
		r.Connection.PerHost = 1
		done := make(chan tried)
		for range 2 {
			go func() { done <- w.get(r) }()
			synctest.Wait()
		}
		w.Close()
		for range 2 {
			if got := <-done; got.Reason != probe.ReasonCanceled {
				t.Errorf("got %q: %v", got.Reason, got.Err)
			}
		}
		if got := w.get(r); got.Reason != probe.ReasonCanceled {
			t.Errorf("after the end: got %q: %v", got.Reason, got.Err)
		}
	})
}
