package schema

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// manyProbes is a file of n probes as people write them.
func manyProbes(n int) []byte {
	var b strings.Builder
	b.WriteString("defaults:\n  interval: 1m\n  timeout: {total: 10s, connect: 3s, sock_connect: 3s}\n  labels: {team: core}\nprobes:\n")
	for i := range n {
		fmt.Fprintf(&b, `  # The %dth of them.
  - name: probe-%d
    group: shop
    interval: 30s
    labels: {tier: "1"}
    retry: {attempts: 3, backoff: {cap: 2s}}
    fake:
      address: host-%d.example.com:443
      headers: {Accept: text/html, X-Probe: "%d"}
      codes: [200, 4xx]
      match:
        Content-Type: {contains: html}
`, i, i, i, i)
	}
	return []byte(b.String())
}

// BenchmarkParse10000 loads ten thousand probes. live-MB is what the set holds, peak-MB what the heap
// amounted to at most, both beyond what was there before.
func BenchmarkParse10000(b *testing.B) {
	data := manyProbes(10_000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	kinds := fakeKinds()
	for b.Loop() {
		set, err := Parse("probes.yaml", data, kinds)
		if err != nil || len(set.Probes) != 10_000 {
			b.Fatal(err)
		}
	}
}

// manyTargets is a file of n probes by profiles and targets.
func manyTargets(n int) []byte {
	var b strings.Builder
	b.WriteString("profiles: {web: {interval: 30s, retry: {attempts: 3}, labels: {tier: '1'}, fake: {codes: [200, 4xx]}}}\nprobes:\n")
	b.WriteString("  - name: probe\n    use: web\n    fake: {address: '{{target.host}}:443', headers: {Accept: text/html, X-Probe: '{{target}}'}}\n    targets:\n")
	for i := range n {
		fmt.Fprintf(&b, "      - {name: t%d, target: '%d', host: host-%d.example.com}\n", i, i, i)
	}
	return []byte(b.String())
}

// BenchmarkTargets10000 makes ten thousand probes of one by profiles and targets.
func BenchmarkTargets10000(b *testing.B) {
	data := manyTargets(10_000)
	b.ReportAllocs()
	kinds := fakeKinds()
	for b.Loop() {
		set, err := World{}.Parse("probes.yaml", data, kinds)
		if err != nil || len(set.Probes) != 10_000 {
			b.Fatal(err)
		}
	}
}

// TestLoadIsLight: ten thousand probes cost less than 200 MB while they are read.
func TestLoadIsLight(t *testing.T) {
	data := manyProbes(10_000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	set, err := Parse("probes.yaml", data, fakeKinds())
	runtime.ReadMemStats(&after)
	if err != nil || len(set.Probes) != 10_000 {
		t.Fatal(err)
	}
	// Generous: the race detector and the tests beside it take memory, too. The goal is 200 MB.
	mb := (after.HeapSys - before.HeapSys) >> 20
	if mb > 1000 {
		t.Errorf("the heap grew by %d MB, want at most 1000", mb)
	}
	t.Logf("the heap grew by %d MB, %d MB were allocated", mb, (after.TotalAlloc-before.TotalAlloc)>>20)
}
