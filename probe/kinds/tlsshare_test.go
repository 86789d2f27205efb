package kinds

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestTLSIsShared: probers with the same tls block and the same contents of its files have one TLS, and one of all
// else that they have in common, whatever the kind. What has changed, or is no longer had, is not shared.
func TestTLSIsShared(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.pair(t, "one")
	h := newHouse(nil, "1.2.3")
	env := standard
	env.Dir = a.dir
	build := func(block TLS) *httpProber {
		s := newHTTP(h).(*HTTP)
		s.URL, s.TLS = "https://host.example/", &block
		return prober(t, s, env).(*httpProber)
	}
	block := TLS{CAFile: "ca.pem", CertFile: "one.pem", KeyFile: "one.key"}
	first, second := build(block), build(block)
	if first.httpTerms != second.httpTerms || first.route.TLS != second.route.TLS || first.abroad == first.tls {
		t.Error("two probers of one block share nothing, or their own TLS with other hosts")
	}
	tcp := newTCP(h).(*TCP)
	tcp.Address, tcp.TLS = "host.example:443", &block
	if prober(t, tcp, env).(*tcpProber).route.TLS != first.tls {
		t.Error("a tcp prober has TLS of its own, want what the http probers have")
	}
	if other := build(TLS{CAFile: "ca.pem"}); other.tls == first.tls || other.tls != other.abroad {
		t.Error("a block without a certificate has the TLS of one with it, or another for other hosts")
	}
	data, err := os.ReadFile(filepath.Join(a.dir, "ca.pem"))
	if err == nil {
		err = os.WriteFile(filepath.Join(a.dir, "ca.pem"), append([]byte("# renewed\n"), data...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if build(block).tls == first.tls {
		t.Error("a file has changed, and the prober has the TLS of before")
	}
	runtime.KeepAlive(first)
}

func TestTLSThatNobodyHasIsLetGo(t *testing.T) {
	t.Parallel()
	var l securities
	for i := range 1000 {
		if _, err := l.get(&TLS{ServerName: fmt.Sprint("host", i)}, tlsFiles{}); err != nil {
			t.Fatal(err)
		}
		if i%100 == 0 {
			runtime.GC()
		}
	}
	if len(l.made) > 500 {
		t.Errorf("%d are remembered, want few", len(l.made))
	}
}

// BenchmarkTLSBlock makes probers that trust the bundle of SONDE_BUNDLE. B/probe is what each keeps.
func BenchmarkTLSBlock(b *testing.B) {
	bundle := os.Getenv("SONDE_BUNDLE")
	if bundle == "" {
		b.Skip("SONDE_BUNDLE names no file of certificates")
	}
	h := newHouse(nil, "1.2.3")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := make([]any, 0, b.N)
	for i := range b.N {
		s := newHTTP(h).(*HTTP)
		s.URL, s.TLS = fmt.Sprintf("https://host%d.example/", i), &TLS{CAFile: bundle}
		kept = append(kept, prober(b, s, standard))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(b.N), "B/probe")
	runtime.KeepAlive(kept)
}
