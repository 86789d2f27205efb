package conn_test

import (
	"context"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"sonde/probe"
	"sonde/probe/conn"
)

// nameserver answers each question on loopback with a code; below 0 it is silent.
func nameserver(t *testing.T, code int) string {
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if code < 0 || m.Unpack(buf[:n]) != nil {
				continue
			}
			m.Response, m.RecursionAvailable, m.RCode, m.Additionals = true, true, dnsmessage.RCode(code), nil
			out, _ := m.Pack()
			pc.WriteTo(out, from)
		}
	}()
	return pc.LocalAddr().String()
}

// lookupAt looks names up at a name server of the test's.
func lookupAt(server string) func(ctx context.Context, host string) ([]net.IP, error) {
	return conn.LookupBy(func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server)
	})
}

// TestResolver has Go's own resolver ask a server that fails: what its errors look like is Go's affair,
// what they are called is ours.
func TestResolver(t *testing.T) {
	for _, row := range []struct {
		name   string
		code   int
		reason probe.Reason
	}{
		{"NXDOMAIN", 3, probe.ReasonDNSNotFound},
		{"no data", 0, probe.ReasonDNSNotFound},
		{"SERVFAIL", 2, probe.ReasonDNSTemporary},
		{"REFUSED", 5, probe.ReasonDNSServer},
		{"silence", -1, probe.ReasonLimitConnect},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := nameserver(t, row.code)
			n := conn.New(conn.Options{Lookup: lookupAt(server)})
			defer n.Close()
			got := attempt(t, n, try{route: &conn.Route{Address: "host.example.:80"}, limits: probe.Limits{Connect: time.Second}})
			if got.Reason != row.reason || got.Phase != probe.PhaseResolve || got.Evidence != probe.NeverSent {
				t.Errorf("got %q in %v, %v: %v", got.Reason, got.Phase, got.Evidence, got.Err)
			}
		})
	}
}

// TestResolverIsGone has nobody listen where the resolver asks.
func TestResolverIsGone(t *testing.T) {
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := pc.LocalAddr().String()
	pc.Close()
	n := conn.New(conn.Options{Lookup: lookupAt(server)})
	defer n.Close()
	got := attempt(t, n, try{route: &conn.Route{Address: "host.example.:80"}, limits: standard})
	if got.Reason != probe.ReasonDNSTemporary {
		t.Errorf("got %q: %v", got.Reason, got.Err)
	}
}

// TestResolverHasNoDescriptors has the resolver's own socket fail: the fault is ours.
func TestResolverHasNoDescriptors(t *testing.T) {
	n := conn.New(conn.Options{Lookup: conn.LookupBy(func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}
	})})
	defer n.Close()
	got := attempt(t, n, try{route: &conn.Route{Address: "host.example.:80"}, limits: standard})
	if got.Reason != probe.ReasonLocalResource || got.Phase != probe.PhaseResolve {
		t.Errorf("got %q in %v: %v", got.Reason, got.Phase, got.Err)
	}
}

func TestBadAddress(t *testing.T) {
	n := conn.New(conn.Options{})
	defer n.Close()
	for _, address := range []string{"", "127.0.0.1", "127.0.0.1:http2", "127.0.0.1:99999", "[::1:80"} {
		r := &conn.Route{Address: address}
		c := n.Start(t.Context(), standard)
		_, err := c.RoundTrip(r, newRequest("GET", "x"), false)
		if a := c.End(err); a.Reason != probe.ReasonConfig {
			t.Errorf("%q: got %q in %v: %v", address, a.Reason, a.Phase, a.Err)
		}
	}
}
