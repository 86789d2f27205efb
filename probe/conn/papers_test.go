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

// TestIssuerOfWhomNobodyTrusts is found however the peer orders what it sends, and told within bounds.
func TestIssuerOfWhomNobodyTrusts(t *testing.T) {
	t.Parallel()
	signed := func(subject, by string) *x509.Certificate {
		return &x509.Certificate{RawSubject: []byte(subject), RawIssuer: []byte(by), Issuer: pkix.Name{CommonName: by}}
	}
	long := strings.Repeat("\x1b", 10_000)
	for _, tt := range []struct {
		name   string
		reason probe.Reason
		sent   []*x509.Certificate
		want   string
	}{
		{"alone", probe.ReasonTLSCertUntrusted, []*x509.Certificate{signed("leaf", "root")}, `: issued by "CN=root"`},
		{"itself", probe.ReasonTLSCertUntrusted, []*x509.Certificate{signed("leaf", "leaf")}, `: "CN=leaf", which has issued itself`},
		{"with one between", probe.ReasonTLSCertUntrusted, []*x509.Certificate{signed("leaf", "mid"), signed("x", "y"), signed("mid", "root")}, `: issued by "CN=root"`},
		{"with its root", probe.ReasonTLSCertUntrusted, []*x509.Certificate{signed("leaf", "root"), signed("root", "root")}, `: "CN=root", which has issued itself`},
		{"a circle", probe.ReasonTLSCertUntrusted, []*x509.Certificate{signed("a", "b"), signed("b", "a")}, `: issued by "CN=b"`},
		{"hostile", probe.ReasonTLSCertUntrusted, []*x509.Certificate{signed("leaf", long)}, `: issued by "CN=` + strings.Repeat(`\x1b`, maxNameText-len("CN=")) + `…"`},
		{"none", probe.ReasonTLSCertUntrusted, nil, ""},
		{"expired", probe.ReasonTLSCertExpired, []*x509.Certificate{signed("leaf", "root")}, ""},
	} {
		if got := issuer(tt.reason, tt.sent); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
