package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/kinds"
	"sonde/probe/metrics"
	"sonde/probe/plan"
	"sonde/probe/retry"
	"sonde/probe/schedule"
	"sonde/probe/status"
	"sonde/schema"
)

// TestMemoryOfAPlannedProbe measures what plan.ProbeBytes states: what a probe keeps in a running sonde,
// from its definition to the row on the page, after runs that passed and runs that failed.
func TestMemoryOfAPlannedProbe(t *testing.T) {
	const n = 2000
	network := conn.New(conn.Options{})
	defer network.Close()
	text := manyProbes(n)
	before := heapInUse()
	set, err := schema.Parse("probes.yaml", text, kinds.All(network, "test"))
	if err != nil {
		t.Fatal(err)
	}
	recorder, board := metrics.New(metrics.Build{}), status.New("test")
	sinks := probe.Sinks{recorder, board, &logSink{log: slog.New(slog.NewTextHandler(io.Discard, nil))}}
	scheduler := schedule.New(schedule.Options{Engine: &retry.Engine{}, Meter: recorder, Sink: sinks})
	probes := set.Probes
	scheduler.Apply(probes)
	set = nil // run keeps the probes alone
	for _, p := range probes {
		lived(p, sinks)
	}
	got := int(heapInUse()-before) / n
	runtime.KeepAlive([]any{scheduler, board, recorder, probes, text})
	t.Logf("%d bytes a probe, plan.ProbeBytes is %d", got, plan.ProbeBytes)
	if got > plan.ProbeBytes || got < plan.ProbeBytes/2 {
		t.Errorf("a probe keeps %d bytes, want at most plan.ProbeBytes, %d, and no less than half of it", got, plan.ProbeBytes)
	}
	closeAll(probes)
}

// manyProbes is a file of probes, each with a host of its own.
func manyProbes(n int) []byte {
	var b bytes.Buffer
	b.WriteString("probes:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {name: shop-%05d, labels: {team: web}, http: {url: \"https://shop-%05d.example.com/health\", expect: {body: {contains: ok}}}}\n", i, i)
	}
	return b.Bytes()
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// lived tells of twenty runs over a range of latencies, every fifth failing for one of three reasons.
func lived(p *probe.Probe, sink probe.Sink) {
	reasons := []probe.Reason{probe.ReasonStatus, probe.ReasonConnectRefused, probe.ReasonLimitSockRead}
	engine := &retry.Engine{Clock: instantly{}}
	for i := range 20 {
		own := *p
		own.Prober = madeUp(func() probe.Attempt {
			a := probe.Attempt{OK: true, HTTP: &probe.HTTP{Status: 200, Version: "HTTP/2.0"}, TLS: &probe.TLSFacts{Version: "TLS 1.3"}}
			if i%5 == 4 {
				a.OK, a.Reason, a.Err = false, reasons[i/5%3], fmt.Errorf("%s: %s", reasons[i/5%3], strings.Repeat("x", 60))
			}
			a.Phases[probe.PhaseWait] = time.Duration(1+i*i) * time.Millisecond
			return a
		})
		own.Run(context.Background(), engine, sink)
	}
}

// madeUp is a prober that makes its attempts up.
type madeUp func() probe.Attempt

func (f madeUp) Probe(context.Context, probe.Try) probe.Attempt { return f() }

// instantly is a clock that waits for nothing.
type instantly struct{}

func (instantly) Now() time.Time { return time.Unix(1e9, 0) }
func (instantly) AfterFunc(time.Duration, func()) (stop func() bool) {
	return func() bool { return true }
}
func (instantly) Sleep(context.Context, time.Duration) {}
