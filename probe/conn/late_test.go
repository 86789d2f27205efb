package conn

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn/memnet"
)

// greeter is a network whose one server says hello to whom connects, and then nothing.
func greeter(text string) (*Network, *Route, func()) { return greeterAt("192.0.2.1:80", text) }

func greeterAt(address, text string) (*Network, *Route, func()) {
	mem := &memnet.Net{}
	l := mem.Listen(address)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				io.WriteString(c, text)
				io.Copy(io.Discard, c)
			}()
		}
	}()
	n := New(Options{Dial: mem.Dial, Lookup: mem.Lookup})
	return n, &Route{Address: address}, func() {
		n.Close()
		l.Close()
		time.Sleep(time.Minute)
	}
}

// TestUnstarvedClock has the process lose five seconds in the middle of an attempt: they are not the
// target's.
func TestUnstarvedClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, r, done := greeter("")
		defer done()
		c := n.Start(t.Context(), probe.Limits{Total: 10 * time.Second})
		start := time.Now()
		nc, err := c.Dial(r)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(3*time.Second, func() { n.watch.lose(5 * time.Second) })
		_, err = nc.Read(make([]byte, 1))
		a := c.End(err)
		if took := time.Since(start); took != 15*time.Second || a.Reason != probe.ReasonLimitTotal || a.Late != 5*time.Second {
			t.Errorf("got %q after %v, late %v", a.Reason, took, a.Late)
		}
	})
}

// TestUnstarvedClockAtHome has the process lose a second in little pieces: a target on this machine has lost the
// same again.
func TestUnstarvedClockAtHome(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]time.Duration{
		"192.0.2.1:80": 11 * time.Second, "127.0.0.1:80": 12 * time.Second, "[::1]:80": 12 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			n, r, done := greeterAt(address, "")
			defer done()
			c := n.Start(t.Context(), probe.Limits{Total: 10 * time.Second})
			start := time.Now()
			nc, err := c.Dial(r)
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(3*time.Second, func() {
				for range 20 {
					n.watch.lose(50 * time.Millisecond)
				}
			})
			_, err = nc.Read(make([]byte, 1))
			if a := c.End(err); time.Since(start) != want || a.Reason != probe.ReasonLimitTotal {
				t.Errorf("%s: got %q after %v, want limit_total after %v", address, a.Reason, time.Since(start), want)
			}
		})
	}
}

// TestIsHome asks for addresses whether they are this machine's.
func TestIsHome(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]bool{
		"127.0.0.1:80": true, "127.9.9.9:80": true, "[::1]:80": true, "[::ffff:127.0.0.1]:80": true, "localhost:80": true,
		"192.0.2.1:80": false, "[2001:db8::1]:80": false, "example.com:80": false, "localhost.example.com:80": false, "": false,
	} {
		if got := isHome(to, nil); got != want {
			t.Errorf("%q: got %v", to, got)
		}
	}
	c, _ := net.Pipe()
	if isHome("192.0.2.1:80", &from{c, "192.0.2.2:999"}) || !isHome("192.0.2.1:80", &from{c, "192.0.2.1:999"}) {
		t.Error("an address of this machine is known by what is connected to it having the same")
	}
}

// from is a connection that has a local address.
type from struct {
	net.Conn
	local string
}

func (f *from) LocalAddr() net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(f.local)) }

// TestBytesWait has an answer lie in the socket that the prober does not get round to reading.
func TestBytesWait(t *testing.T) {
	for _, row := range []struct {
		name   string
		limits probe.Limits
		end    error // the run's, at 1s
		limit  probe.Limit
		reason probe.Reason
	}{
		{"sock_read", probe.Limits{SockRead: time.Second}, nil, probe.LimitSockRead, probe.ReasonProberLate},
		{"total", probe.Limits{Total: time.Second}, nil, probe.LimitTotal, probe.ReasonProberLate},
		{"the run's deadline", probe.Limits{}, probe.ErrDeadline, "", probe.ReasonProberLate},
		{"the batch's end", probe.Limits{}, probe.ErrBatchDeadline, "", probe.ReasonDeadline},
		{"cancellation", probe.Limits{}, context.Canceled, "", probe.ReasonCanceled},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, r, done := greeter("hello")
				defer done()
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if row.end != nil {
					time.AfterFunc(time.Second, func() { cancel(row.end) })
				}
				c := n.Start(ctx, row.limits)
				nc, err := c.Dial(r)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Second)
				_, err = io.Copy(io.Discard, nc)
				a := c.End(err)
				if a.Reason != row.reason || a.Limit != row.limit || (a.Late > 0) != (row.reason == probe.ReasonProberLate) {
					t.Errorf("got %q, limit %q, late %v: %v", a.Reason, a.Limit, a.Late, a.Err)
				}
			})
		})
	}
}

// TestKernelIsAsked is TestBytesWait on a real socket, and its contrary.
func TestKernelIsAsked(t *testing.T) {
	for text, reason := range map[string]probe.Reason{"hello": probe.ReasonProberLate, "": probe.ReasonLimitSockRead} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		said := make(chan struct{})
		go func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			io.WriteString(c, text)
			close(said)
			io.Copy(io.Discard, c)
		}()
		n := New(Options{})
		defer n.Close()
		c := n.Start(t.Context(), probe.Limits{SockRead: 100 * time.Millisecond})
		nc, err := c.Dial(&Route{Address: l.Addr().String()})
		if err != nil {
			t.Fatal(err)
		}
		<-said
		<-c.ctx.Done()
		_, err = io.Copy(io.Discard, nc)
		if a := c.End(err); a.Reason != reason {
			t.Errorf("after %q: got %q: %v", text, a.Reason, a.Err)
		}
	}
}

// TestConnectHasCompleted has the kernel connect, and the prober not get round to hearing of it.
func TestConnectHasCompleted(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	n := New(Options{})
	defer n.Close()
	dial := n.options.Dial
	n.options.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		<-ctx.Done()
		c.Close()
		return nil, ctx.Err()
	}
	c := n.Start(t.Context(), probe.Limits{SockConnect: 100 * time.Millisecond})
	req, _ := http.NewRequest("GET", "http://"+l.Addr().String(), nil)
	_, err = c.RoundTrip(&Route{Address: l.Addr().String()}, req, false)
	if a := c.End(err); a.Reason != probe.ReasonProberLate || a.Limit != probe.LimitSockConnect || a.Evidence != probe.NeverSent {
		t.Errorf("got %q, limit %q: %v", a.Reason, a.Limit, a.Err)
	}
}
