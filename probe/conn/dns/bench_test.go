package dns_test

import (
	"context"
	"net"
	"testing"
	"time"

	"sonde/probe/conn/dns"
)

// BenchmarkLookup is a lookup at a name server on loopback, which is of this process too: plain, as it is for an answer
// that is to be kept, and of an answer that is at hand.
func BenchmarkLookup(b *testing.B) {
	r := resolverAt(serveDNS(b, a(60, 0), nil))
	defer r.Close()
	b.Run("plain", func(b *testing.B) {
		lookups(b, r.Lookup)
	})
	b.Run("with TTL", func(b *testing.B) {
		lookups(b, func(ctx context.Context, host string) ([]net.IP, error) {
			ips, _, err := r.LookupTTL(ctx, host)
			return ips, err
		})
	})
	b.Run("at hand", func(b *testing.B) {
		lookups(b, dns.New(dns.Options{LookupTTL: func(context.Context, string) ([]net.IP, time.Duration, error) {
			return []net.IP{net.IPv4(192, 0, 2, 1)}, time.Hour, nil
		}}).LookupKept)
	})
}

func lookups(b *testing.B, lookup func(context.Context, string) ([]net.IP, error)) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := lookup(b.Context(), "host.example."); err != nil {
			b.Fatal(err)
		}
	}
}
