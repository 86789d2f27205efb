package metrics

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"sonde/probe"
	"sonde/probe/retry"
)

// dice is a prober whose attempts take no time, claim some, and fail half of the time, for all reasons.
type dice struct{}

func (dice) Probe(context.Context, probe.Try) probe.Attempt {
	reason := reasons[rand.IntN(len(reasons))]
	a := failed(reason, 0)
	a.Stale, a.Repeatable = rand.IntN(4) == 0, rand.IntN(2) == 0
	a.Evidence = [...]probe.Evidence{probe.NeverSent, probe.Refused, probe.Unanswered, probe.Answered}[rand.IntN(4)]
	if rand.IntN(2) == 0 {
		a = passed(0)
		a.TLS = &probe.TLSFacts{Version: fmt.Sprint("TLS 1.", rand.IntN(4))}
	}
	a.Phases[probe.PhaseWait] = time.Duration(rand.Int64N(int64(time.Minute)) >> rand.IntN(30))
	return a
}

func diced(name string) *probe.Probe {
	return &probe.Probe{Name: name, Kind: "http", Prober: dice{}, Policy: retry.Policy{Attempts: 3, Transparent: 1}}
}

// TestScrapesWhileProbing scrapes while four probes run, one is declared and forgotten again and again,
// and the scheduler reports; every scrape must be consistent in itself and behind none before it.
func TestScrapesWhileProbing(t *testing.T) {
	r := New(Build{})
	var work sync.WaitGroup
	for i := range 4 {
		p := diced(fmt.Sprint("p", i))
		r.Declare(p)
		work.Go(func() { run(r, p, 2000) })
	}
	work.Go(func() { comeAndGo(r) })
	over := make(chan struct{})
	go func() { work.Wait(); close(over) }()
	last, text := map[string]float64{}, false
	for done := false; !done; {
		select {
		case <-over:
			done = true
		default:
		}
		var now map[string]float64
		if text = !text; text { // the text form must be as consistent as what client_golang is given
			_, families := scrape(t, r, http.Header{"Accept": {acceptText}})
			now = flat(slices.Collect(maps.Values(families)))
		} else {
			now = flat(gather(t, r))
		}
		checkScrape(t, now, last, done)
		last = now
	}
}

// comeAndGo is a probe that is changed and forgotten all the time, and a busy scheduler.
func comeAndGo(r *Recorder) {
	p := diced("passing-by")
	for i := range 500 {
		p.Labels = nil
		r.Declare(p)
		changed := *p
		changed.Labels = []probe.Label{{Name: "i", Value: fmt.Sprint(i)}}
		run(r, p, 1)
		r.Declare(&changed)
		r.Lag(time.Duration(i) * time.Millisecond)
		r.Skipped(p, probe.SkipOverload, 1)
		r.Reloaded(i%2 == 0, time.Unix(int64(i), 0), "ff")
		r.Forget(p)
		p = diced("passing-by")
	}
}

// flat is every number that one scrape says of p0 to p3, summed over labels, by "probe name"; for
// histograms also the sum of the native buckets.
func flat(families []*dto.MetricFamily) map[string]float64 {
	numbers := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			if name := probeOf(m); strings.HasPrefix(name, "p") && name != "passing-by" {
				add(numbers, name+" "+f.GetName(), m)
			}
		}
	}
	return numbers
}

func probeOf(m *dto.Metric) string {
	for _, l := range m.Label {
		if l.GetName() == labelProbe {
			return l.GetValue()
		}
	}
	return ""
}

func add(numbers map[string]float64, key string, m *dto.Metric) {
	if h := m.Histogram; h != nil {
		numbers[key] += float64(h.GetSampleCount())
		numbers[key+" buckets"] += float64(h.Bucket[len(h.Bucket)-1].GetCumulativeCount())
		if h.Schema != nil {
			numbers[key+" buckets"] = float64(nativeCount(h))
		}
		return
	}
	numbers[key] += m.GetCounter().GetValue() + m.GetGauge().GetValue()
}

// checkScrape holds what must be true of every scrape.
func checkScrape(t *testing.T, now, last map[string]float64, done bool) {
	t.Helper()
	for key, was := range last {
		if strings.Contains(key, "_total") && now[key] < was {
			t.Fatalf("%s went back from %v to %v", key, was, now[key])
		}
	}
	for i := range 4 {
		n := func(name string) float64 { return now[fmt.Sprintf("p%d sonde_%s", i, name)] }
		under := n("attempts_total") - n("retries_total") - n("runs_total") - n("runs_unknown_total")
		if under < 0 || under > 1 || done && under != 0 {
			t.Fatalf("attempts = retries + runs + %v, want at most the one under way", under)
		}
		equal(t, "failures by reason", n("failures_total"), n("run_failures_total"))
		equal(t, "run durations", n("run_duration_seconds"), n("runs_total"))
		equal(t, "runs in buckets", n("run_duration_seconds buckets"), n("run_duration_seconds"))
		equal(t, "attempts in buckets", n("attempt_duration_seconds buckets"), n("attempt_duration_seconds"))
		if n("runs_total")+n("runs_unknown_total") > 0 {
			equal(t, "verdicts", n("verdict"), 1)
		}
	}
}

func equal(t *testing.T, what string, got, want float64) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}
