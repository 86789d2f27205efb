package kinds

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"sonde/probe"
	"sonde/probe/conn"
)

// BenchmarkHTTP compares an attempt on a kept connection with a bare exchange that reads the body.
func BenchmarkHTTP(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { io.WriteString(rw, "hello") }))
	defer server.Close()
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		t := &http.Transport{DisableCompression: true}
		defer t.CloseIdleConnections()
		for b.Loop() {
			r, _ := http.NewRequestWithContext(context.Background(), "GET", server.URL, nil)
			resp, err := t.RoundTrip(r)
			if err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
	for name, rules := range map[string]BodyRules{"attempt": {}, "attempt that matches": {Contains: Texts{"hello"}}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			n := conn.New(conn.Options{})
			defer n.Close()
			s := newHTTP(newHouse(n.Starter(), "1")).(*HTTP)
			s.URL, s.Expect.Body = server.URL, rules
			p := prober(b, s, standard)
			for b.Loop() {
				if a := p.Probe(context.Background(), probe.Try{Number: 1}); !a.OK {
					b.Fatal(a.Err)
				}
			}
		})
	}
}

// BenchmarkIdle says how much an idle prober keeps.
func BenchmarkIdle(b *testing.B) {
	h := newHouse(nil, "1")
	for name, make := range map[string]func(i int) probe.Settings{
		"http": func(i int) probe.Settings {
			s := newHTTP(h).(*HTTP)
			s.URL = fmt.Sprintf("https://host-%d.example.com/path", i)
			return s
		},
		"tcp": func(i int) probe.Settings {
			s := newTCP(h).(*TCP)
			s.Address = fmt.Sprintf("host-%d.example.com:22", i)
			return s
		},
	} {
		b.Run(name, func(b *testing.B) {
			const count = 10_000
			kept := [count]probe.Prober{}
			for b.Loop() {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				for i := range kept {
					kept[i], _ = make(i).Prober(standard)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/count, "B/probe")
				clear(kept[:])
			}
		})
	}
}
