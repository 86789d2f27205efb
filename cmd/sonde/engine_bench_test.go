//go:build unix

package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/metrics"
	"sonde/probe/retry"
	"sonde/probe/status"
)

// stated are the most that an attempt through the whole engine may cost, as a multiple of the bare exchange; 0
// is not stated.
var stated = map[string]spending{"reused": {1.3, 1.5}, "fresh": {cpu: 1.15}}

// BenchmarkEngine has a run of one attempt through all that production has (a definition out of a file, Probe.Run,
// the engine, the http prober, metrics, the board and the log at info) beside http.Transport.RoundTrip that reads
// the body. Both ask the same server, a process of its own, so that what is counted is theirs alone. They take turns
// in batches; one iteration is a batch of each. What it prints are medians over the batches: the CPU time of the
// process, user and system, in microseconds an attempt, allocations, and the ratios to the bare exchange that makes
// its request anew, as every caller but a benchmark does. "kept-request" is the bare exchange whose request is made
// once for all. HTTP/1.1 all.
func BenchmarkEngine(b *testing.B) {
	at := startHelper(b, "bench-server")
	for _, pattern := range []string{"reused", "fresh"} {
		b.Run(pattern, func(b *testing.B) { besideBare(b, at, pattern) })
	}
}

// contender makes attempts, one after the other.
type contender struct {
	name    string
	attempt func() error
	spent   []spending // a batch each
}

// spending is what an attempt of a batch took.
type spending struct{ cpu, allocs float64 }

// batchSize is how many attempts make a batch: enough for the collector's work to fall evenly.
const batchSize = 1000

func besideBare(b *testing.B, at, pattern string) {
	fresh := pattern == "fresh"
	all := []*contender{bareContender(b, at, fresh, false), engineContender(b, at, fresh), bareContender(b, at, fresh, true)}
	for _, c := range all {
		c.batch(b) // warm
		c.spent = nil
	}
	for i := 0; b.Loop(); i++ {
		for j := range all {
			all[(i+j)%len(all)].batch(b) // nobody is always the first
		}
	}
	b.ReportMetric(0, "ns/op") // of three batches: it says nothing
	bare := all[0]
	b.ReportMetric(medianOf(bare.spent, spending.micros), "bare-µs")
	b.ReportMetric(medianOf(bare.spent, spending.count), "bare-allocs")
	b.ReportMetric(medianOf(all[1].spent, spending.micros), "engine-µs")
	b.ReportMetric(medianOf(all[1].spent, spending.count), "engine-allocs")
	for _, c := range all[1:] {
		b.ReportMetric(ratioOf(c, bare, spending.micros), c.name+"-cpu-ratio")
		b.ReportMetric(ratioOf(c, bare, spending.count), c.name+"-allocs-ratio")
	}
	got := spending{ratioOf(all[1], bare, spending.micros), ratioOf(all[1], bare, spending.count)}
	if most := stated[pattern]; got.cpu > most.cpu || most.allocs > 0 && got.allocs > most.allocs {
		b.Logf("%s: got ratios %.2f, stated are %.2f at most (CPU, allocations; 0 is not stated)", pattern, got, most)
	}
}

func (s spending) micros() float64 { return s.cpu }
func (s spending) count() float64  { return s.allocs }

// batch makes a batch of attempts and keeps what they took.
func (c *contender) batch(b *testing.B) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := cpuTime(b)
	for range batchSize {
		if err := c.attempt(); err != nil {
			b.Fatalf("%s: %v", c.name, err)
		}
	}
	cpu = cpuTime(b) - cpu
	runtime.ReadMemStats(&after)
	c.spent = append(c.spent, spending{float64(cpu.Nanoseconds()) / 1e3 / batchSize, float64(after.Mallocs-before.Mallocs) / batchSize})
}

// cpuTime is what this process has used so far, in user and in system mode.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func medianOf(all []spending, of func(spending) float64) float64 {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = of(s)
	}
	slices.Sort(values)
	return (values[len(values)/2] + values[(len(values)-1)/2]) / 2
}

// ratioOf is the median of the ratios of the batches that were made side by side.
func ratioOf(c, to *contender, of func(spending) float64) float64 {
	ratios := make([]spending, len(c.spent))
	for i := range ratios {
		ratios[i].cpu = of(c.spent[i]) / of(to.spent[i])
	}
	return medianOf(ratios, spending.micros)
}

// bareContender is http.Transport.RoundTrip, its body read.
func bareContender(b *testing.B, at string, fresh, keepRequest bool) *contender {
	t := &http.Transport{DisableCompression: true, DisableKeepAlives: fresh}
	b.Cleanup(t.CloseIdleConnections)
	c := &contender{name: "bare"}
	request := func() (*http.Request, error) { return http.NewRequest(http.MethodGet, "http://"+at+"/", nil) }
	if keepRequest {
		kept, err := request()
		if err != nil {
			b.Fatal(err)
		}
		c.name, request = "kept-request", func() (*http.Request, error) { return kept, nil }
	}
	c.attempt = func() error {
		req, err := request()
		if err != nil {
			return err
		}
		resp, err := t.RoundTrip(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	return c
}

// engineContender is a run of a probe, as sonde run makes it.
func engineContender(b *testing.B, at string, fresh bool) *contender {
	network := conn.New(conn.Options{})
	b.Cleanup(network.Close)
	p := engineProbe(b, network, at, fresh)
	sinks := probe.Sinks{
		metrics.New(metrics.Build{}), status.New(""), &logSink{log: logFlags{Level: "info", Format: "logfmt"}.newLogger(io.Discard)},
	}
	sinks.Declare(p)
	engine := &retry.Engine{}
	return &contender{name: "engine", attempt: func() error { return p.Run(context.Background(), engine, sinks).Err }}
}

// engineProbe is the probe, read from a file that says nothing but what it must.
func engineProbe(b *testing.B, network *conn.Network, at string, fresh bool) *probe.Probe {
	text := "probes:\n  - {name: bench, interval: 10s, http: {url: \"http://" + at + "/\"}}\n"
	if fresh {
		text = strings.Replace(text, "interval: 10s", "interval: 10s, connection: {reuse: false}", 1)
	}
	file := b.TempDir() + "/probes.yaml"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	set, err := sourceOf(fileFlags{}, []string{file}, network).load(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { closeAll(set.Probes) })
	return set.Probes[0]
}
