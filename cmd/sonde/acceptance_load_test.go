package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
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
)

// testLoad probes nginx with many probes at 1 s, for 20 s or, when SONDE_ACCEPTANCE_LONG is set, for
// two minutes: no run may fail or be skipped, and runs must start when they are due. Another program
// on the machine can delay a start, but none of ours can: one round of three without delay is enough.
func (a *acceptance) testLoad(t *testing.T) {
	seconds := 20
	if os.Getenv("SONDE_ACCEPTANCE_LONG") != "" {
		seconds = 120
	}
	address := freeAddresses(t, 1)[0]
	sonde := start(t, a.sonde, "run", "--config.file="+a.write(t, "load.yaml", loadFile()),
		"--web.listen-address="+address, "--log.level=warn")
	eventually(t, 10*time.Second, "sonde", answers("http://"+address+"/-/ready"))
	var before lag
	for round := 1; ; round++ {
		after := loadRound(t, address, round*seconds)
		amiss := after.since(before).amiss()
		if amiss == "" {
			break
		}
		t.Logf("round %d: %s", round, amiss)
		if before = after; round == 3 {
			t.Errorf("in three rounds of %d s: %s", seconds, amiss)
			break
		}
	}
	if code := sonde.stop(t); code != statusOK {
		t.Errorf("sonde run exits %d after SIGTERM, want 0", code)
	}
}

// loadRound waits until every probe has run so many times, holds that nothing went wrong so far, and
// returns the lag so far.
func loadRound(t *testing.T, address string, runs int) lag {
	t.Helper()
	var got map[string]*dto.MetricFamily
	eventually(t, time.Duration(2*runs)*time.Second, "the load", func() string {
		got = scrape(t, "http://"+address+"/metrics")
		if n := total(got, "sonde_runs_total"); n < float64(loadProbes*runs) {
			return fmt.Sprintf("%v runs, want %d", n, loadProbes*runs)
		}
		return ""
	})
	for _, name := range []string{
		"sonde_run_failures_total", "sonde_runs_flaky_total", "sonde_runs_unknown_total",
		"sonde_attempt_failures_total", "sonde_runs_skipped_total",
	} {
		if n := total(got, name); n != 0 {
			t.Errorf("%s is %v after %v runs, want 0: %s", name, n, total(got, "sonde_runs_total"), why(got))
		}
	}
	return lagOf(t, got["sonde_scheduler_lag_seconds"])
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
	return fmt.Sprint(counts)
}

// lag is how many runs started, and how many of them within loadLag of their due time.
type lag struct{ all, punctual uint64 }

func lagOf(t *testing.T, family *dto.MetricFamily) lag {
	t.Helper()
	if len(family.GetMetric()) != 1 {
		t.Fatalf("sonde_scheduler_lag_seconds has %d series, want 1", len(family.GetMetric()))
	}
	h := family.GetMetric()[0].GetHistogram()
	for _, b := range h.GetBucket() {
		if b.GetUpperBound() == loadLag {
			return lag{h.GetSampleCount(), b.GetCumulativeCount()}
		}
	}
	t.Fatalf("sonde_scheduler_lag_seconds has no bucket of %v s", loadLag)
	return lag{}
}

func (l lag) since(before lag) lag { return lag{l.all - before.all, l.punctual - before.punctual} }

// amiss is empty when at least 99 of 100 runs were punctual.
func (l lag) amiss() string {
	if l.all > 0 && 100*l.punctual >= 99*l.all {
		return ""
	}
	return fmt.Sprintf("%d of %d runs started within %v s of their due time, want 99 of 100", l.punctual, l.all, loadLag)
}

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
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(resp.Body)
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
