package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

const (
	loadProbes = 200
	// loadLag is what 99 of 100 runs must start within; it is a bucket's bound.
	loadLag = 0.01
	// loadSlow is what nginx takes when it gets no processor, in seconds.
	loadSlow = 0.1
)

// testLoad probes nginx with many probes at 1 s, for 20 s or, when SONDE_ACCEPTANCE_LONG is set, for
// two minutes: no run may fail or be skipped, and runs must start when they are due. No program can
// keep that on a machine that is busy with other things, nor can nginx: a round in which a bare loop
// beside sonde is late, too, or gets late answers, does not count. Of three rounds one has to count.
func (a *acceptance) testLoad(t *testing.T) {
	seconds := 20
	if os.Getenv("SONDE_ACCEPTANCE_LONG") != "" {
		seconds = 120
	}
	address := freeAddresses(t, 1)[0]
	sonde := start(t, a.sonde, "run", "--config.file="+a.write(t, "load.yaml", loadFile()),
		"--web.listen-address="+address, "--log.level=warn")
	eventually(t, "sonde", answers("http://"+address+"/-/ready"))
	counted := a.loadRounds(t, address, seconds)
	if code := sonde.stop(t); code != statusOK {
		t.Errorf("sonde run exits %d after SIGTERM, want 0", code)
	}
	if !counted {
		t.Skip("this machine is too busy to say whether sonde is punctual")
	}
}

// loadRounds judges the first round of three that counts; without one it returns false.
func (a *acceptance) loadRounds(t *testing.T, address string, seconds int) bool {
	bare := startBareLoop(t, a.nginx.fill("http://PLAIN/ok"))
	var before load
	var bareBefore lag
	for round := 1; round <= 3; round++ {
		after, bareAfter := loadAfter(t, address, round*seconds), bare.lag()
		amiss, other := after.amiss(before), bareAfter.since(bareBefore)
		t.Logf("round %d: %v; of a bare loop's: %v; %s", round, after.lag.since(before.lag), other, after.why)
		if amiss == "" {
			return true
		}
		if other.share() < 0.005 {
			t.Error(amiss)
			return true
		}
		before, bareBefore = after, bareAfter
	}
	return false
}

// load is what had come of the probes so far.
type load struct {
	lag lag
	bad float64 // runs and attempts that failed, runs that were flaky, unknown or skipped
	why string
}

// loadAfter waits until every probe has run so many times.
func loadAfter(t *testing.T, address string, runs int) load {
	t.Helper()
	var got map[string]*dto.MetricFamily
	eventually(t, "the load", func() string {
		got = scrape(t, "http://"+address+"/metrics")
		if n := total(got, "sonde_runs_total"); n < float64(loadProbes*runs) {
			return fmt.Sprintf("%v runs, want %d", n, loadProbes*runs)
		}
		return ""
	})
	l := load{lag: lagOf(t, got["sonde_scheduler_lag_seconds"]), why: why(got)}
	for _, name := range []string{
		"sonde_run_failures_total", "sonde_runs_flaky_total", "sonde_runs_unknown_total",
		"sonde_attempt_failures_total", "sonde_runs_skipped_total",
	} {
		l.bad += total(got, name)
	}
	return l
}

// amiss says what went wrong since, if anything did.
func (l load) amiss(before load) string {
	if bad := l.bad - before.bad; bad > 0 {
		return fmt.Sprintf("%v runs and attempts failed, were flaky, unknown or skipped, want 0: %s", bad, l.why)
	}
	if since := l.lag.since(before.lag); since.share() > 0.01 {
		return fmt.Sprintf("%v, want 1 of 100 at most", since)
	}
	return ""
}

// why is the reasons that the failures had, and the causes of skipped runs, each with its number.
func why(families map[string]*dto.MetricFamily) string {
	counts := map[string]float64{}
	for _, name := range []string{"sonde_failures_total", "sonde_attempt_failures_total", "sonde_runs_skipped_total"} {
		for _, m := range families[name].GetMetric() {
			key := name
			for _, l := range m.GetLabel() {
				if l.GetName() != "probe" {
					key += " " + l.GetValue()
				}
			}
			counts[key] += m.GetCounter().GetValue()
		}
	}
	maps.DeleteFunc(counts, func(_ string, n float64) bool { return n == 0 })
	return fmt.Sprint(counts)
}

// lag is how many runs started, and how many of them more than loadLag after their due time.
type lag struct{ all, late uint64 }

func lagOf(t *testing.T, family *dto.MetricFamily) lag {
	t.Helper()
	if len(family.GetMetric()) != 1 {
		t.Fatalf("sonde_scheduler_lag_seconds has %d series, want 1", len(family.GetMetric()))
	}
	h := family.GetMetric()[0].GetHistogram()
	for _, b := range h.GetBucket() {
		if b.GetUpperBound() == loadLag {
			return lag{h.GetSampleCount(), h.GetSampleCount() - b.GetCumulativeCount()}
		}
	}
	t.Fatalf("sonde_scheduler_lag_seconds has no bucket of %v s", loadLag)
	return lag{}
}

func (l lag) since(before lag) lag { return lag{l.all - before.all, l.late - before.late} }

// share is the late ones' share of all; of none at all it is 1.
func (l lag) share() float64 {
	if l.all == 0 {
		return 1
	}
	return float64(l.late) / float64(l.all)
}

func (l lag) String() string {
	return fmt.Sprintf("%d of %d runs started more than %v s after their due time", l.late, l.all, loadLag)
}

// bareLoop makes loadProbes requests a second at even intervals, with nothing of sonde. Late are those that began
// late, and those that were answered late.
type bareLoop struct{ all, late atomic.Uint64 }

func startBareLoop(t *testing.T, url string) *bareLoop {
	b := &bareLoop{}
	ctx, cancel := context.WithCancel(t.Context())
	var going sync.WaitGroup
	t.Cleanup(func() { cancel(); going.Wait() })
	going.Go(func() {
		for due := time.Now(); ; {
			due = due.Add(time.Second / loadProbes)
			select {
			case <-time.After(time.Until(due)):
				going.Go(func() { b.request(due, url) })
			case <-ctx.Done():
				return
			}
		}
	})
	return b
}

func (b *bareLoop) request(due time.Time, url string) {
	began := time.Now()
	if resp, err := http.Get(url); err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	if began.Sub(due).Seconds() > loadLag || time.Since(began).Seconds() > loadSlow {
		b.late.Add(1)
	}
	b.all.Add(1)
}

func (b *bareLoop) lag() lag { return lag{b.all.Load(), b.late.Load()} }

func loadFile() string {
	var b strings.Builder
	b.WriteString("defaults: {interval: 1s}\nprobes:\n")
	for i := range loadProbes {
		fmt.Fprintf(&b, "  - {name: load-%d, http: {url: \"http://PLAIN/ok?%d\"}}\n", i, i)
	}
	return b.String()
}

// scrape is what a URL exports, by the metric's name.
func scrape(t *testing.T, url string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(readAgain(t, url, 5)))
	if err != nil {
		t.Fatalf("reading %s: %v", url, err)
	}
	return families
}

// total is the sum of a counter over its series.
func total(families map[string]*dto.MetricFamily, name string) float64 {
	sum := 0.0
	for _, m := range families[name].GetMetric() {
		sum += m.GetCounter().GetValue()
	}
	return sum
}
