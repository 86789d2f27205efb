package dns_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"sonde/probe"
	"sonde/probe/conn/dns"
)

// resolverAt is a resolver with a name server of the test's.
func resolverAt(server string) *dns.Resolver {
	return dns.New(dns.Options{Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server)
	}})
}

// ways are the two ways to look a name up.
var ways = map[string]func(*dns.Resolver, context.Context, string) ([]net.IP, error){
	"Lookup":     (*dns.Resolver).Lookup,
	"LookupKept": (*dns.Resolver).LookupKept,
}

// TestLookup has Go's own resolver ask a server on loopback, and sees what is told of its answers.
func TestLookup(t *testing.T) {
	t.Parallel()
	says := func(code dnsmessage.RCode) records {
		return func(m *dnsmessage.Message, _ dnsmessage.Question) { m.RCode = code }
	}
	for _, row := range []struct {
		name string
		udp  records
		want *net.DNSError // its kind; nil is an address
	}{
		{"an address", a(60, 0), nil},
		{"no address", says(dnsmessage.RCodeSuccess), &net.DNSError{IsNotFound: true}},
		{"NXDOMAIN", says(dnsmessage.RCodeNameError), &net.DNSError{IsNotFound: true}},
		{"SERVFAIL", says(dnsmessage.RCodeServerFailure), &net.DNSError{IsTemporary: true}},
		{"REFUSED", says(dnsmessage.RCodeRefused), &net.DNSError{}},
	} {
		for way, lookup := range ways {
			t.Run(row.name+"/"+way, func(t *testing.T) {
				t.Parallel()
				r := resolverAt(serveDNS(t, row.udp, nil))
				defer r.Close()
				ips, err := lookup(r, context.Background(), "host.example.")
				var got *net.DNSError
				switch isDNS := errors.As(err, &got); {
				case row.want == nil:
					if err != nil || len(ips) != 1 || !ips[0].Equal(net.IPv4(192, 0, 2, 1)) {
						t.Errorf("got %v, %v, want 192.0.2.1", ips, err)
					}
				case !isDNS, got.IsNotFound != row.want.IsNotFound, got.IsTemporary != row.want.IsTemporary, got.IsTimeout:
					t.Errorf("got %v, %#v, want %#v", ips, err, row.want)
				}
			})
		}
	}
}

// TestNoAddress has what takes the resolver's place find nothing, without an error.
func TestNoAddress(t *testing.T) {
	t.Parallel()
	for way, lookup := range ways {
		r := dns.New(dns.Options{Lookup: func(context.Context, string) ([]net.IP, error) { return nil, nil }})
		defer r.Close()
		_, err := lookup(r, context.Background(), "Host.example")
		if d, ok := errors.AsType[*net.DNSError](err); !ok || !d.IsNotFound || d.Name != "Host.example" {
			t.Errorf("%s: got %#v, want no such name, as it was asked for", way, err)
		}
	}
}

// TestEachLookupIsToldOfItsShortage has the sockets fail of lookups of one name that go on beside each other: each
// knows what of ours was used up.
func TestEachLookupIsToldOfItsShortage(t *testing.T) {
	t.Parallel()
	for way, lookup := range ways {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gate := make(chan struct{})
				r := dns.New(dns.Options{
					Dial: func(context.Context, string, string) (net.Conn, error) {
						<-gate
						return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}
					},
					Shortage: func(err error) bool { return errors.Is(err, syscall.EMFILE) },
				})
				defer r.Close()
				const count = 3
				failed := make(chan error, count)
				for range count {
					go func() {
						_, err := lookup(r, context.Background(), "host.example.")
						failed <- err
					}()
				}
				synctest.Wait()
				close(gate)
				for range count {
					if err := <-failed; !errors.Is(err, syscall.EMFILE) || !errors.As(err, new(*net.DNSError)) {
						t.Errorf("got %v, want what was used up, and an error of the resolver's", err)
					}
				}
			})
		})
	}
}

// TestOtherFailuresToConnectAreNoShortage has the resolver hide why it could not ask.
func TestOtherFailuresToConnectAreNoShortage(t *testing.T) {
	t.Parallel()
	refused := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	}
	for name, shortage := range map[string]func(error) bool{"nil": nil, "of no error": func(error) bool { return false }} {
		_, err := dns.New(dns.Options{Dial: refused, Shortage: shortage}).Lookup(t.Context(), "host.example.")
		if !errors.As(err, new(*net.DNSError)) || errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("Shortage %s: got %#v, want the resolver's error alone", name, err)
		}
	}
}

// TestNobodyWaitsForANameServer gives a question up: the connections on which it was asked are closed at once.
func TestNobodyWaitsForANameServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		closed := make(chan time.Duration, 10)
		var dialled atomic.Int32 // one for IPv4, one for IPv6
		r := dns.New(dns.Options{Dial: func(context.Context, string, string) (net.Conn, error) {
			dialled.Add(1)
			ours, theirs := net.Pipe()
			go func() {
				io.Copy(io.Discard, theirs) // silently
				closed <- time.Since(began)
			}()
			return ours, nil
		}})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if ips, err := r.Lookup(ctx, "host.example."); err == nil {
			t.Errorf("a silent server gave %v", ips)
		}
		if dialled.Load() == 0 {
			t.Error("no name server was asked")
		}
		for range dialled.Load() {
			if at := <-closed; at != time.Second {
				t.Errorf("a connection was closed after %v, want 1s", at)
			}
		}
	})
}

// Go's resolver connects to name servers on goroutines of its own, by a function of ours.
func TestPanicOfDial(t *testing.T) {
	t.Parallel()
	for way, lookup := range ways {
		r := dns.New(dns.Options{Dial: func(context.Context, string, string) (net.Conn, error) { panic("a bug") }})
		defer r.Close()
		_, err := lookup(r, t.Context(), "host.example")
		p, ok := errors.AsType[*probe.PanicError](err)
		if !ok || p.Value != "a bug" || !strings.Contains(string(p.Stack), "dns_test.") {
			t.Errorf("%s: got %v, want a bug, and the stack of where it was", way, err)
		}
	}
}
