package conn_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// inRace runs f in a world where a route leads to a name with two addresses. The first time the first of them does
// what it is told to, whatever its context says; all else connects after so long.
func inRace(t *testing.T, first func(*memnet.Net) (net.Conn, error), connects time.Duration, f func(w *world, s *strays, r *conn.Route)) {
	var mem *memnet.Net
	var s strays
	var raced atomic.Bool
	dial := func(ctx context.Context, network, to string) (net.Conn, error) {
		if raced.CompareAndSwap(false, true) {
			return first(mem)
		}
		select {
		case <-time.After(connects):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return mem.Dial(ctx, network, to)
	}
	inBubble(t, conn.Options{Dial: dial, Bug: s.add}, func(w *world) {
		mem = w.mem
		w.mem.Hosts["host.example"] = []net.IP{net.IPv4(192, 0, 2, 7), net.IPv4(192, 0, 2, 1)}
		w.script("192.0.2.7:80", answering(ok200))
		w.script(address, answering(ok200))
		f(w, &s, &conn.Route{Address: "host.example:80"})
	})
}

// A racer that panics ends the race, its attempt with it. When the race is over, it harms nobody, nor does the
// closing of a connection that it has made in vain.
func TestPanicOfARacer(t *testing.T) {
	t.Parallel()
	panics := func(*memnet.Net) (net.Conn, error) {
		time.Sleep(time.Second)
		panic("a bug")
	}
	t.Run("in the race", func(t *testing.T) {
		inRace(t, panics, time.Second, func(w *world, s *strays, r *conn.Route) {
			(&asker{net: w.Network, route: r}).breaks(w, s)
		})
	})
	for name, first := range map[string]func(*memnet.Net) (net.Conn, error){
		"after it": panics,
		"as it is reaped": func(mem *memnet.Net) (net.Conn, error) {
			time.Sleep(time.Second)
			c, err := mem.Dial(context.Background(), "tcp", "192.0.2.7:80")
			return &brittle{Conn: c, at: "close"}, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			inRace(t, first, 0, func(w *world, s *strays, r *conn.Route) {
				a := &asker{net: w.Network, route: r}
				a.passes(w)
				time.Sleep(time.Second)
				s.want(w.t, 1)
				a.mends(w, s)
			})
		})
	}
}

// inPanickyZone runs f in a world whose first lookup panics after so long, whatever its context says.
func inPanickyZone(t *testing.T, after time.Duration, f func(w *world, s *strays)) {
	var s strays
	var asked atomic.Int32
	lookup := func(context.Context, string) ([]net.IP, time.Duration, error) {
		if asked.Add(1) == 1 {
			time.Sleep(after)
			panic("a bug")
		}
		return []net.IP{net.IPv4(192, 0, 2, 1)}, time.Minute, nil
	}
	inBubble(t, conn.Options{LookupTTL: lookup, Bug: s.add}, func(w *world) {
		w.script(address, answering(ok200))
		f(w, &s)
	})
}

// Who waits for a name gets the panic of its lookup, and who asks after that a lookup of its own. For one that nobody
// waits for any more nobody is to blame.
func TestPanicOfALookup(t *testing.T) {
	t.Parallel()
	t.Run("awaited", func(t *testing.T) {
		inPanickyZone(t, time.Second, func(w *world, s *strays) {
			a := &asker{net: w.Network, route: named()}
			other := make(chan *probe.Result)
			go func() { other <- a.run(w.t.Context()) }()
			internal(w.t, a.run(w.t.Context()))
			internal(w.t, <-other)
			a.mends(w, s)
		})
	})
	t.Run("given up", func(t *testing.T) {
		inPanickyZone(t, 2*time.Second, func(w *world, s *strays) {
			a := &asker{net: w.Network, route: named(), limits: probe.Limits{Connect: time.Second}}
			if r := a.run(w.t.Context()); r.Attempts[0].Reason != probe.ReasonLimitConnect {
				w.t.Errorf("the first attempt ended for %q, want %s", r.Attempts[0].Reason, probe.ReasonLimitConnect)
			}
			time.Sleep(time.Minute)
			s.want(w.t, 1)
			a.mends(w, s)
		})
	})
}

// faulty is a body that panics once some bytes of it have been read, and a while has passed.
type faulty struct {
	left  int
	after time.Duration
}

func (f *faulty) Read(p []byte) (int, error) {
	if f.left == 0 {
		time.Sleep(f.after)
		panic("a bug")
	}
	n := min(f.left, len(p))
	f.left -= n
	return n, nil
}

// posting makes a request with a body that fails after so long.
func posting(after time.Duration) func() *http.Request {
	return func() *http.Request {
		req := newRequest(http.MethodPost, address)
		req.Body, req.ContentLength = io.NopCloser(&faulty{1 << 10, after}), 1<<20
		return req
	}
}

// A body that panics while it is sent beside the reading ends the attempt, also one that has been answered.
func TestPanicOfAnUpload(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(c *memnet.Conn){
		"not answered":     func(*memnet.Conn) {},
		"half an answer":   func(c *memnet.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell") },
		"answered in time": func(c *memnet.Conn) { io.WriteString(c, ok200) },
	} {
		t.Run(name, func(t *testing.T) {
			inCracked(t, nil, func(w *world, s *strays) {
				w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
					if req, err := http.ReadRequest(r); err != nil || req.Method == http.MethodGet {
						io.WriteString(c, ok200)
						return
					}
					serve(c)
					io.Copy(io.Discard, r)
				})
				a := &asker{net: w.Network, route: route(), make: posting(time.Second)}
				if name != "answered in time" {
					a.breaks(w, s)
					return
				}
				a.passes(w)
				time.Sleep(time.Second)
				s.want(w.t, 1)
				a.mends(w, s)
			})
		})
	}
}

// The HTTP/2 client reads and writes on goroutines of its own, and reads the body of the request there.
func TestPanicOnHTTP2(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		b    *brittle
		make func() *http.Request
	}{
		{"reading", &brittle{at: "read"}, nil},
		{"reading, later", &brittle{at: "hear"}, nil},
		{"writing the preface", &brittle{at: "write"}, nil},
		{"writing", &brittle{at: "write", after: 1}, nil},
		{"the body", nil, posting(time.Second)},
	} {
		t.Run(row.name, func(t *testing.T) {
			inCracked(t, row.b, func(w *world, s *strays) {
				w.http2Script((*peer).echoAll)
				a := &asker{net: w.Network, route: h2cRoute(), make: row.make}
				a.breaks(w, s)
			})
		})
	}
}

// echoAll answers each request whose header has come, in two steps.
func (p *peer) echoAll() {
	for s := p.stream(); s != 0; s = p.stream() {
		p.header(s, false, ":status", "200")
		time.Sleep(2 * time.Second)
		p.WriteData(s, true, []byte("hello"))
	}
}

// All whose requests are on an HTTP/2 connection lose them with it; nobody else does.
func TestPanicOnASharedConnection(t *testing.T) {
	inCracked(t, &brittle{at: "close", once: true}, func(w *world, s *strays) {
		w.http2Script((*peer).echoAll)
		a := &asker{net: w.Network, route: h2cRoute()}
		results := make(chan *probe.Result)
		for range 2 {
			go func() { results <- a.run(w.t.Context()) }()
		}
		time.Sleep(time.Second)
		w.GiveUpStuck()
		internal(w.t, <-results)
		internal(w.t, <-results)
		s.atMost(w.t, 1) // both may have let go of the connection by then, and then it is told as nobody's, too
		a.mends(w, s)
	})
}
