package conn

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

// TestPapers: what a certificate says of itself, in their order.
func TestPapers(t *testing.T) {
	t.Parallel()
	from, until := time.Unix(1, 0), time.Unix(2, 0)
	got := papers([]*x509.Certificate{{
		Subject: pkix.Name{CommonName: "shop"}, Issuer: pkix.Name{CommonName: "ca", Organization: []string{"Example"}},
		DNSNames: []string{"a.example.com"}, IPAddresses: []net.IP{net.IPv4(192, 0, 2, 1)}, URIs: []*url.URL{{Scheme: "spiffe", Host: "x"}},
		EmailAddresses: []string{"a@example.com"}, NotBefore: from, NotAfter: until,
	}})
	want := []probe.Certificate{{
		Subject: "CN=shop", Issuer: "CN=ca,O=Example", Names: []string{"a.example.com", "192.0.2.1", "spiffe://x", "a@example.com"},
		NotBefore: from, NotAfter: until,
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("papers (-want +got):\n%s", diff)
	}
}

// TestPapersAreBounded, for a peer can send certificates of any length.
func TestPapersAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 10_000) + "\xff"
	cert := &x509.Certificate{Subject: pkix.Name{CommonName: long}, Issuer: pkix.Name{CommonName: long}}
	for i := range 1000 {
		cert.DNSNames = append(cert.DNSNames, fmt.Sprint(i, long))
	}
	chain := make([]*x509.Certificate, 100)
	for i := range chain {
		chain[i] = cert
	}
	got := papers(chain)
	if len(got) != maxChain || len(got[0].Names) != maxNames || got[0].MoreNames != 1000-maxNames {
		t.Fatalf("%d certificates with %d names and %d more", len(got), len(got[0].Names), got[0].MoreNames)
	}
	for _, text := range append(got[0].Names, got[0].Subject, got[0].Issuer) {
		if len(text) > maxNameText+len("…") || !utf8.ValidString(text) {
			t.Errorf("a name of %d bytes, valid %t", len(text), utf8.ValidString(text))
		}
	}
}
