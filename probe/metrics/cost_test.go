package metrics

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"testing"
	"time"

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
	const n = 10_000
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
	if idle > 400 || used > 1800 {
		t.Errorf("a probe costs %d bytes, in use %d; want at most 400 and 1800", idle, used)
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

// BenchmarkScrape is what a scrape of 1,000 probes costs in the text form.
func BenchmarkScrape(b *testing.B) {
	r := New(Build{})
	for _, p := range names(1000) {
		r.Declare(p)
		r.RunDone(resultOf(p, passed(time.Millisecond)))
	}
	h := r.Handler()
	request, err := http.NewRequest(http.MethodGet, "/metrics", nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(discard{http.Header{}}, request)
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
		r.states.Range(func(_, v any) bool { v.(*state).read(&s, false); return true })
	}
}

// discard is a response that nobody reads.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return io.Discard.Write(p) }
func (d discard) WriteHeader(int)             {}
