package conn_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// lookup is a network whose resolver answers with err.
func lookup(err error) conn.Options {
	return conn.Options{Lookup: func(context.Context, string) ([]net.IP, error) { return nil, err }}
}

func TestDNS(t *testing.T) {
	for _, row := range []struct {
		name   string
		err    error
		reason probe.Reason
	}{
		{"no such host", &net.DNSError{IsNotFound: true}, probe.ReasonDNSNotFound},
		{"SERVFAIL", &net.DNSError{Err: "server misbehaving", IsTemporary: true}, probe.ReasonDNSTemporary},
		{"silence", &net.DNSError{Err: "i/o timeout", IsTimeout: true, IsTemporary: true}, probe.ReasonDNSTimeout},
		{"REFUSED", &net.DNSError{Err: "server misbehaving"}, probe.ReasonDNSServer},
		{"no descriptors", os.NewSyscallError("socket", syscall.EMFILE), probe.ReasonLocalResource},
		{"no addresses", nil, probe.ReasonDNSNotFound},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			n := conn.New(lookup(row.err))
			defer n.Close()
			got := attempt(t, n, try{route: &conn.Route{Address: "host.example:80"}, limits: standard})
			if got.Reason != row.reason || got.Phase != probe.PhaseResolve || got.Evidence != probe.NeverSent {
				t.Errorf("got %q in %v, %v: %v", got.Reason, got.Phase, got.Evidence, got.Err)
			}
		})
	}
}

// dialing is a network whose dials do what do says.
func dialing(w *world, do func(ctx context.Context, address string) error) {
	w.mem.Delay = do
}

func TestDialErrors(t *testing.T) {
	for errno, reason := range map[syscall.Errno]probe.Reason{
		syscall.ECONNREFUSED:  probe.ReasonConnectRefused,
		syscall.EHOSTUNREACH:  probe.ReasonConnectUnreachable,
		syscall.ENETUNREACH:   probe.ReasonConnectUnreachable,
		syscall.ETIMEDOUT:     probe.ReasonConnectTimeout,
		syscall.EACCES:        probe.ReasonConnectDenied,
		syscall.EPERM:         probe.ReasonConnectDenied,
		syscall.EINVAL:        probe.ReasonConnectDenied,
		syscall.EMFILE:        probe.ReasonLocalResource,
		syscall.ENFILE:        probe.ReasonLocalResource,
		syscall.EADDRNOTAVAIL: probe.ReasonLocalResource,
		syscall.ENOBUFS:       probe.ReasonLocalResource,
	} {
		t.Run(errno.Error(), func(t *testing.T) {
			inBubble(t, conn.Options{}, func(w *world) {
				dialing(w, func(context.Context, string) error { return os.NewSyscallError("connect", errno) })
				got := w.get(route())
				if got.Reason != reason || got.Phase != probe.PhaseConnect || got.Evidence != probe.NeverSent || !errors.Is(got.Err, errno) {
					t.Errorf("got %q in %v, %v: %v", got.Reason, got.Phase, got.Evidence, got.Err)
				}
			})
		})
	}
}

// until waits for d, or for the dial to be given up.
func until(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestConnectLimits(t *testing.T) {
	never := func(ctx context.Context, _ string) error { return until(ctx, time.Hour) }
	for _, row := range []struct {
		name   string
		limits probe.Limits
		limit  probe.Limit
		reason probe.Reason
		took   time.Duration
	}{
		{"sock_connect", probe.Limits{Total: 30 * time.Second, Connect: 5 * time.Second, SockConnect: 2 * time.Second}, probe.LimitSockConnect, probe.ReasonLimitSockConnect, 2 * time.Second},
		{"connect", probe.Limits{Total: 30 * time.Second, Connect: 5 * time.Second}, probe.LimitConnect, probe.ReasonLimitConnect, 5 * time.Second},
		{"total", probe.Limits{Total: 30 * time.Second}, probe.LimitTotal, probe.ReasonLimitTotal, 30 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, conn.Options{}, func(w *world) {
				dialing(w, never)
				got := w.try(try{route: route(), limits: row.limits})
				if got.Limit != row.limit || got.Reason != row.reason || got.took != row.took || got.Phase != probe.PhaseConnect {
					t.Errorf("got %q, limit %q, in %v after %v", got.Reason, got.Limit, got.Phase, got.took)
				}
				if len(got.Addresses) != 1 || got.Addresses[0].Address != address || !errors.As(got.Addresses[0].Err, new(*conn.LimitError)) {
					t.Errorf("got %+v", got.Addresses)
				}
				if !errors.Is(got.Err, context.DeadlineExceeded) {
					t.Errorf("%v is not a deadline", got.Err)
				}
			})
		})
	}
}

func TestResolverIsSilent(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		n := conn.New(conn.Options{Dial: w.mem.Dial, Lookup: func(ctx context.Context, _ string) ([]net.IP, error) {
			<-ctx.Done()
			return nil, &net.DNSError{Err: "operation was canceled"}
		}})
		defer n.Close()
		got := attempt(w.t, n, try{route: &conn.Route{Address: "host.example:80"}, limits: standard})
		if got.Reason != probe.ReasonLimitConnect || got.Phase != probe.PhaseResolve || got.took != 5*time.Second {
			t.Errorf("got %q in %v after %v", got.Reason, got.Phase, got.took)
		}
	})
}

func TestHappyEyeballs(t *testing.T) {
	v6, other, v4 := "[2001:db8::1]:80", "[2001:db8::2]:80", "192.0.2.1:80"
	hosts := []net.IP{net.ParseIP("2001:db8::1"), net.ParseIP("2001:db8::2"), net.ParseIP("192.0.2.1")}
	for _, row := range []struct {
		name   string
		delays map[string]time.Duration // until the address connects; without one it is refused at once
		used   string
		failed []string
		took   time.Duration
	}{
		{"the first answers", map[string]time.Duration{v6: 100 * time.Millisecond, v4: 0}, v6, nil, 100 * time.Millisecond},
		{"the first is slow", map[string]time.Duration{v6: time.Hour, v4: 10 * time.Millisecond}, v4, nil, 260 * time.Millisecond},
		{"the first is refused", map[string]time.Duration{v4: 0}, v4, []string{v6}, 0},
		{"the last is left", map[string]time.Duration{other: time.Second}, other, []string{v6, v4}, time.Second},
		{"none", nil, "", []string{v6, v4, other}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, conn.Options{}, func(w *world) {
				w.mem.Hosts["host.example"] = hosts
				for _, at := range []string{v6, other, v4} {
					w.script(at, answering(ok200))
				}
				dialing(w, func(ctx context.Context, at string) error {
					d, ok := row.delays[at]
					if !ok {
						return os.NewSyscallError("connect", syscall.ECONNREFUSED)
					}
					return until(ctx, d)
				})
				r := route()
				r.Address = "host.example:80"
				got := w.get(r)
				var failed []string
				for _, a := range got.Addresses {
					failed = append(failed, a.Address)
				}
				if got.RemoteAddress != row.used || !equal(failed, row.failed) || got.took != row.took {
					t.Errorf("used %q after %v, failed %v", got.RemoteAddress, got.took, failed)
				}
				if row.used == "" && got.Reason != probe.ReasonConnectRefused {
					t.Errorf("got %q", got.Reason)
				}
			})
		})
	}
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TestUnreachableFamily has a host without IPv6: what IPv4 says is the reason.
func TestUnreachableFamily(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.mem.Hosts["host.example"] = []net.IP{net.ParseIP("2001:db8::1"), net.ParseIP("192.0.2.1")}
		dialing(w, func(_ context.Context, at string) error {
			if at[0] == '[' {
				return os.NewSyscallError("connect", syscall.ENETUNREACH)
			}
			return os.NewSyscallError("connect", syscall.ECONNREFUSED)
		})
		r := route()
		r.Address = "host.example:80"
		got := w.get(r)
		if got.Reason != probe.ReasonConnectRefused || len(got.Addresses) != 2 {
			t.Fatalf("got %q, %v", got.Reason, got.Addresses)
		}
		for i, want := range []error{syscall.ENETUNREACH, syscall.ECONNREFUSED} {
			if err := got.Addresses[i].Err; !errors.Is(err, want) || err.Error() != want.Error() {
				t.Errorf("of %s: got %q, want %q", got.Addresses[i].Address, err, want)
			}
		}
	})
}

func TestRealRefusal(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	l.Close()
	n := conn.New(conn.Options{})
	defer n.Close()
	got := attempt(t, n, try{route: &conn.Route{Address: at}, limits: standard})
	if got.Reason != probe.ReasonConnectRefused || !errors.Is(got.Err, syscall.ECONNREFUSED) {
		t.Errorf("got %q: %v", got.Reason, got.Err)
	}
}

// TestUploadAborted has the kernel's choice of errors: a server that closes in the middle of an upload
// is one and the same, whatever the write says.
func TestUploadAborted(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.ReadFull(c, make([]byte, 4096))
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}
	}()
	n := conn.New(conn.Options{})
	defer n.Close()
	r := &conn.Route{Address: l.Addr().String(), Connection: kept}
	for range 30 {
		got := attempt(t, n, try{route: r, limits: standard, method: "POST", body: string(make([]byte, 8<<20))})
		if got.Reason != probe.ReasonDisconnected || got.Evidence != probe.Unanswered {
			t.Errorf("got %q, %v: %v", got.Reason, got.Evidence, got.Err)
		}
	}
}

// TestEarlyAnswer has a server that refuses an upload before it has come: the answer is not lost to
// the write's error.
func TestEarlyAnswer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.ReadFull(c, make([]byte, 4096))
			io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			c.(*net.TCPConn).CloseWrite()
			go func() {
				io.CopyN(io.Discard, c, 1<<20)
				c.Close()
			}()
		}
	}()
	n := conn.New(conn.Options{})
	defer n.Close()
	r := &conn.Route{Address: l.Addr().String(), Connection: kept}
	for range 30 {
		got := attempt(t, n, try{route: r, limits: standard, method: "PUT", body: string(make([]byte, 8<<20))})
		if got.status != 413 || !got.OK {
			t.Errorf("got %d, %q, %v: %v", got.status, got.Reason, got.Evidence, got.Err)
		}
	}
}
