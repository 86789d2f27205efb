package metrics

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"sonde/probe"
)

// names are n probes of kind http, that hold nothing but what makes them tell apart.
func names(n int) []*probe.Probe {
	probes := make([]*probe.Probe, n)
	for i := range probes {
		probes[i] = &probe.Probe{Name: fmt.Sprintf("probe-%06d", i), Kind: "http"}
	}
	return probes
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestMemoryOfAProbe holds what a probe's numbers cost: one that was only declared, and one that has run
// for a while with latencies over two orders of magnitude and a handful of reasons.
func TestMemoryOfAProbe(t *testing.T) {
	const n = 3000
	probes := names(n)
	r := New(Build{})
	before := heap()
	for _, p := range probes {
		r.Declare(p)
	}
	idle := (heap() - before) / n
	for i, p := range probes {
		for try := range 40 {
			took := time.Duration(try*try*100+i%7) * time.Microsecond
			a := probe.Attempt{Number: 1 + try%2, OK: try%4 != 0, Duration: took, RemoteAddress: "203.0.113.7:443", TLS: &probe.TLSFacts{Version: "TLS 1.3"}}
			if !a.OK {
				a.Reason = reasons[try/4%5]
			}
			r.AttemptDone(p, &a)
			r.RunDone(&probe.Result{Probe: p, Verdict: probe.Up, Duration: took, Attempts: []probe.Attempt{a}})
		}
	}
	used := (heap() - before) / n
	runtime.KeepAlive(r)
	t.Logf("bytes a probe: %d declared, %d in use", idle, used)
	if idle > 300 || used > 1300 {
		t.Errorf("a probe costs %d bytes, in use %d; want at most 300 and 1300", idle, used)
	}
}

// TestCountingAllocatesNothing holds for a probe that meets nothing new.
func TestCountingAllocatesNothing(t *testing.T) {
	r, p := New(Build{}), page()
	r.Declare(p)
	a := probe.Attempt{Number: 2, Reason: probe.ReasonStatus, Duration: time.Millisecond, TLS: &probe.TLSFacts{Version: "TLS 1.3"}, HTTP: &probe.HTTP{Version: "HTTP/1.1"}}
	result := resultOf(p, a)
	once := func() {
		r.AttemptDone(p, &a)
		r.RunDone(result)
		r.Lag(time.Millisecond)
	}
	once()
	if n := testing.AllocsPerRun(100, once); n > 0 {
		t.Errorf("counting an attempt and a run allocates %v times, want 0", n)
	}
}

// BenchmarkRun is what the counting of a run of one attempt costs.
func BenchmarkRun(b *testing.B) {
	r, p := New(Build{}), page()
	r.Declare(p)
	a := passed(3 * time.Millisecond)
	a.Number, a.HTTP, a.TLS = 1, &probe.HTTP{Version: "HTTP/1.1"}, &probe.TLSFacts{Version: "TLS 1.3"}
	result := resultOf(p, a)
	for b.Loop() {
		r.AttemptDone(p, &a)
		r.RunDone(result)
	}
}

// busy is a recorder of n probes that have run, and run flaky and down at times.
func busy(n int) *Recorder {
	r := New(Build{})
	for i, p := range names(n) {
		p.Group, p.Target, p.Labels = "shop", "https://shop.example.com/"+p.Name, []probe.Label{{Name: "team", Value: "web"}}
		r.Declare(p)
		for try := range 5 {
			a := passed(time.Duration(1+i%50+try*try) * time.Millisecond)
			a.Number, a.RemoteAddress = 1, "203.0.113.7:443"
			a.HTTP = &probe.HTTP{Status: 200, Version: "HTTP/1.1", BodyBytes: 512, LastModified: time.Unix(1e9, 0)}
			a.TLS = &probe.TLSFacts{Version: "TLS 1.3", EarliestExpiry: time.Unix(2e9, 0), LastChainExpiry: time.Unix(2e9, 0)}
			a.Phases = [probe.NumPhases]time.Duration{0, 1234567, 2345678, 3456789, 45678, 5678901, 678901}
			if i%20 == try {
				a.OK, a.Reason = false, reasons[i%len(reasons)]
			}
			r.AttemptDone(p, &a)
			result := resultOf(p, a)
			result.Started, result.Duration = time.Unix(1.8e9, 123456789), a.Duration
			r.RunDone(result)
		}
	}
	return r
}

// library is what serves a recorder by client_golang alone.
func library(r *Recorder) http.Handler {
	h := r.Handler().(*handler)
	return promhttp.HandlerFor(h.gatherer(&selection{}), promhttp.HandlerOpts{EnableOpenMetrics: true})
}

// BenchmarkScrape is what a scrape costs, in the text form where nothing else is said, and side by side
// with client_golang's encoder.
func BenchmarkScrape(b *testing.B) {
	for _, c := range []struct {
		name             string
		probes           int
		handler          func(*Recorder) http.Handler
		accept, encoding string
	}{
		{"ours/1000", 1000, (*Recorder).Handler, "", ""},
		{"client_golang/1000", 1000, library, "", ""},
		{"ours/1000/openmetrics", 1000, (*Recorder).Handler, acceptOpen, ""},
		{"client_golang/1000/openmetrics", 1000, library, acceptOpen, ""},
		{"ours/1000/gzip", 1000, (*Recorder).Handler, "", "gzip"},
		{"client_golang/1000/gzip", 1000, library, "", "gzip"},
		{"ours/10000", 10_000, (*Recorder).Handler, "", ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			h := c.handler(busy(c.probes))
			request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			request.Header.Set("Accept", c.accept)
			request.Header.Set("Accept-Encoding", c.encoding)
			b.ReportAllocs()
			sent := 0
			for b.Loop() {
				w := &discard{header: http.Header{}}
				h.ServeHTTP(w, request)
				sent = w.sent
			}
			b.ReportMetric(float64(sent)/float64(c.probes), "B/probe")
		})
	}
}

// TestAScrapeIsCheap holds the ratio to client_golang's encoder, which is some 18, far below what the
// load of a machine can make of it.
func TestAScrapeIsCheap(t *testing.T) {
	r := busy(300)
	quickest := func(h http.Handler) time.Duration {
		best := time.Hour
		for range 7 {
			began := time.Now()
			h.ServeHTTP(&discard{header: http.Header{}}, httptest.NewRequest(http.MethodGet, "/metrics", nil))
			best = min(best, time.Since(began))
		}
		return best
	}
	ours, theirs := quickest(r.Handler()), quickest(library(r))
	t.Logf("300 probes: %v, client_golang %v", ours, theirs)
	if ours > theirs/4 {
		t.Errorf("a scrape of 300 probes takes %v, client_golang %v; want a quarter at most", ours, theirs)
	}
}

// BenchmarkCopy is what a scrape of 1,000 probes costs before anything is rendered.
func BenchmarkCopy(b *testing.B) {
	r := New(Build{})
	for _, p := range names(1000) {
		r.Declare(p)
		r.RunDone(resultOf(p, passed(time.Millisecond)))
	}
	var s snapshot
	b.ReportAllocs()
	for b.Loop() {
		for _, state := range r.states {
			state.read(&s, false)
		}
	}
}

// discard is a response that nobody reads.
type discard struct {
	header http.Header
	sent   int
}

func (d *discard) Header() http.Header { return d.header }
func (d *discard) Write(p []byte) (int, error) {
	d.sent += len(p)
	return len(p), nil
}
func (d *discard) WriteHeader(int) {}

// BenchmarkRunOfMany is what the counting of a run costs among so many probes that no cache holds them.
func BenchmarkRunOfMany(b *testing.B) {
	r, probes := New(Build{}), names(50_000)
	var seats []probe.Seat
	for _, p := range probes {
		r.Declare(p)
		seats = append(seats, r.Seat(p))
	}
	a := passed(300 * time.Microsecond)
	a.Number, a.HTTP = 1, &probe.HTTP{Version: "HTTP/1.1", Status: 200}
	result := resultOf(nil, a)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		at := i * 7919 % len(seats)
		result.Probe = probes[at]
		seats[at].AttemptDone(result.Probe, &a)
		seats[at].RunDone(result)
	}
}
