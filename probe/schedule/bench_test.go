package schedule

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"sonde/probe"
)

// manyProbes are n probes of a minute, as a file would give them; one of them bears the digest.
func manyProbes(n int, digest string) []*probe.Probe {
	set := make([]*probe.Probe, n)
	for i := range set {
		set[i] = &probe.Probe{Name: fmt.Sprintf("probe-%d", i), Digest: "same", Interval: time.Minute}
	}
	set[n/2].Digest = digest
	return set
}

// BenchmarkApplyOneChange measures a reload that changes one probe of 100,000.
func BenchmarkApplyOneChange(b *testing.B) {
	s := New(Options{})
	sets := [][]*probe.Probe{manyProbes(100_000, "a"), manyProbes(100_000, "b")}
	s.Apply(sets[0])
	b.ReportAllocs()
	for i := 1; b.Loop(); i++ {
		if c := s.Apply(sets[i%2]); c.Changed != 1 {
			b.Fatalf("Apply says %+v, want one change", c)
		}
	}
}

// BenchmarkApplyAll measures a start with 100,000 probes, and what an idle one costs the scheduler.
func BenchmarkApplyAll(b *testing.B) {
	set := manyProbes(100_000, "a")
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := New(Options{})
		s.Apply(set)
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(s)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(set)), "B/probe")
}

// BenchmarkTick measures the loop's work for one due probe among 100,000.
func BenchmarkTick(b *testing.B) {
	s := New(Options{})
	s.Apply(manyProbes(100_000, "a"))
	b.ReportAllocs()
	for b.Loop() {
		e := s.due[0].entry
		e.waiting = true // so that the queue stays as it is
		s.ring(e.at)
	}
}
