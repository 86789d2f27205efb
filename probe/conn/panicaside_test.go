package conn_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
	"sonde/probe/retry"
)

// brittle is a connection whose calls of one name, "read", "write" or "close", panic after some have gone well, or
// only the next; "hear" is a read that something comes with after a second. One that is closed so is closed all the same,
// unless it is to be closed twice.
type brittle struct {
	net.Conn
	at    string
	after int32
	once  bool
	twice bool
	calls atomic.Int32
	began time.Time
}

func (b *brittle) call(name string) {
	if name != b.at {
		return
	}
	if n := b.calls.Add(1) - b.after; n == 1 || n > 1 && !b.once {
		panic("a bug")
	}
}

func (b *brittle) Read(p []byte) (int, error) {
	b.call("read")
	n, err := b.Conn.Read(p)
	if time.Since(b.began) > time.Second {
		b.call("hear")
	}
	return n, err
}

func (b *brittle) Write(p []byte) (int, error) {
	b.call("write")
	return b.Conn.Write(p)
}

func (b *brittle) Close() error {
	if !b.twice || b.calls.Load() > 0 {
		defer b.Conn.Close()
	}
	b.call("close")
	return nil
}

// strays gathers the panics of a network that belong to no attempt.
type strays struct {
	mu  sync.Mutex
	all []*probe.PanicError
}

func (s *strays) add(p *probe.PanicError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, p)
}

// want fails unless so many panics were stray since it was asked last.
func (s *strays) want(t *testing.T, n int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) != n {
		t.Errorf("%d panics were stray, want %d", len(s.all), n)
	}
	s.check(t)
}

// atMost fails when more panics were stray since it was asked last.
func (s *strays) atMost(t *testing.T, n int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) > n {
		t.Errorf("%d panics were stray, want %d at most", len(s.all), n)
	}
	s.check(t)
}

// check looks at what is there, and forgets it. The lock is held.
func (s *strays) check(t *testing.T) {
	t.Helper()
	for _, p := range s.all {
		checkPanic(t, p)
	}
	s.all = nil
}

// checkPanic fails unless the error leads to the panic of a test, and to where it was.
func checkPanic(t *testing.T, err error) {
	t.Helper()
	var p *probe.PanicError
	if !errors.As(err, &p) || p.Value != "a bug" || !strings.Contains(string(p.Stack), "conn_test.") {
		t.Errorf("got %v, want a bug, and the stack of where it was", err)
	}
}

// inCracked runs f in a world whose first connection is b, where b is not nil; its clock is virtual.
func inCracked(t *testing.T, b *brittle, f func(w *world, s *strays)) {
	var mem *memnet.Net
	var s strays
	var dialled atomic.Bool
	dial := func(ctx context.Context, network, to string) (net.Conn, error) {
		c, err := mem.Dial(ctx, network, to)
		if err == nil && b != nil && dialled.CompareAndSwap(false, true) {
			b.Conn, b.began, c = c, time.Now(), b
		}
		return c, err
	}
	inBubble(t, conn.Options{Dial: dial, Bug: s.add}, func(w *world) {
		mem = w.mem
		f(w, &s)
	})
}

// asker makes attempts as probers do: a request, whose body is read.
type asker struct {
	net    *conn.Network
	route  *conn.Route
	limits probe.Limits
	make   func() *http.Request // nil is a GET
	leaves bool                 // the body unread
}

func (a *asker) Probe(ctx context.Context, _ probe.Try) probe.Attempt {
	req := newRequest(http.MethodGet, a.route.Address)
	if a.make != nil {
		req = a.make()
	}
	c := a.net.Start(ctx, a.limits)
	defer c.End(errors.New("the prober panicked"))
	resp, err := c.RoundTrip(a.route, req, false)
	if err == nil && !a.leaves {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	return c.End(err)
}

// run makes a run of up to three attempts.
func (a *asker) run(ctx context.Context) *probe.Result {
	p := &probe.Probe{Name: "p", Prober: a, Policy: retry.Policy{Attempts: 3, Deadline: time.Minute}}
	return p.Run(ctx, new(retry.Engine), probe.Sinks{})
}

// breaks makes a run that must be one attempt which a panic has ended, with no stray one besides. Nothing is left
// in progress, and the next run passes.
func (a *asker) breaks(w *world, s *strays) {
	w.t.Helper()
	internal(w.t, a.run(w.t.Context()))
	a.mends(w, s)
}

func internal(t *testing.T, r *probe.Result) {
	t.Helper()
	if r.Reason != probe.ReasonInternal || r.Verdict != probe.Unknown || len(r.Attempts) != 1 {
		t.Errorf("the run is %s for %q after %d attempts, want unknown for internal after 1: %v", r.Verdict, r.Reason, len(r.Attempts), r.Err)
		return
	}
	checkPanic(t, r.Err)
	if a := r.Last(); a.Evidence == probe.Refused || a.Evidence == probe.NeverSent && a.Phase >= probe.PhaseWrite {
		t.Errorf("the evidence of an attempt in phase %v is %s, which nobody can know", a.Phase, a.Evidence)
	}
}

func (a *asker) mends(w *world, s *strays) {
	w.t.Helper()
	s.want(w.t, 0)
	if calls, _ := w.InProgress(); calls != 0 {
		w.t.Errorf("%d calls are in progress, want none", calls)
	}
	(&asker{net: a.net, route: a.route, limits: standard}).passes(w)
}

func (a *asker) passes(w *world) {
	w.t.Helper()
	if r := a.run(w.t.Context()); r.Verdict != probe.Up {
		w.t.Errorf("the run is %s: %v", r.Verdict, r.Err)
	}
}

// silentFirst serves one connection in silence, and answers on all others.
func (w *world) silentFirst(at string, first string) {
	silent := true
	w.script(at, func(c *memnet.Conn, r *bufio.Reader) {
		if silent {
			silent = false
			io.WriteString(c, first)
			io.Copy(io.Discard, r)
			return
		}
		answering(ok200)(c, r)
	})
}

// What cuts an attempt closes its connection, on a timer's goroutine or one of the context's.
func TestPanicOfWhatCuts(t *testing.T) {
	t.Parallel()
	second := probe.Limits{Total: time.Second}
	proxied := &conn.Route{Address: "192.0.2.9:443", TLS: &conn.TLS{Config: &tls.Config{}}, Proxy: &conn.Proxy{Address: address}}
	for _, row := range []struct {
		name   string
		says   string
		asker  asker
		cancel time.Duration // 0 is never
		twice  bool
	}{
		{"a limit", "", asker{route: route(), limits: second}, 0, false},
		{"a limit, and the connection was not closed", "", asker{route: route(), limits: second}, 0, true},
		{"the run's deadline", "", asker{route: route()}, 0, false},
		{"the caller", "", asker{route: route()}, time.Second, false},
		{"what drains", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", asker{route: route(), leaves: true}, 0, false},
		{"a limit at a proxy", "", asker{route: proxied, limits: second}, 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			inCracked(t, &brittle{at: "close", twice: row.twice}, func(w *world, s *strays) {
				w.silentFirst(address, row.says)
				ctx, cancel := context.WithCancel(w.t.Context())
				defer cancel()
				if row.cancel > 0 {
					time.AfterFunc(row.cancel, cancel)
				}
				row.asker.net = w.Network
				internal(w.t, row.asker.run(ctx))
				row.asker.route = route()
				row.asker.mends(w, s)
			})
		})
	}
}
