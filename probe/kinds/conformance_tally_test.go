package kinds_test

import (
	"fmt"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"sonde/probe"
)

// tally is what the metrics must say, counted from the ledger alone.
type tally struct {
	runs, attempts, transparent, retries, ambiguous, failures, flaky, unknown, denied int
	by                                                                                map[string]int
	sent                                                                              int // requests that may have gone out, hops included
}

// add counts a run by the definitions of the design's table of metrics.
func (t *tally) add(e *entry) {
	r := e.result
	if t.by == nil {
		t.by = map[string]int{}
	}
	t.runs++
	if r.Stop == "budget" {
		t.denied++
	}
	switch r.Verdict {
	case probe.Down:
		t.failures++
		t.by[fmt.Sprintf("sonde_failures_total reason=%s stop=%s", r.Reason, r.Stop)]++
	case probe.Flaky:
		t.flaky++
	case probe.Unknown:
		t.unknown++
	}
	begun := 0
	for i := range r.Attempts {
		a := &r.Attempts[i]
		t.sent++
		if a.HTTP != nil {
			t.sent += len(a.HTTP.Hops)
		}
		if a.Transparent {
			t.transparent++
			continue
		}
		t.attempts++
		if begun++; begun > 1 {
			t.retries++
			t.by["sonde_retries_total reason="+string(r.Attempts[i-1].Reason)]++
		}
		if a.Ambiguous {
			t.ambiguous++
		}
	}
}

// compare holds the recorder's numbers, and what the sites saw, against the ledger's.
func (t *tally) compare(l *lab) {
	l.t.Helper()
	got := l.numbers()
	for name, want := range map[string]int{
		"sonde_runs_total": t.runs - t.unknown, "sonde_run_failures_total": t.failures, "sonde_runs_flaky_total": t.flaky,
		"sonde_runs_unknown_total": t.unknown, "sonde_attempts_total": t.attempts, "sonde_retries_total": t.retries,
		"sonde_transparent_resends_total": t.transparent, "sonde_ambiguous_resends_total": t.ambiguous,
		"sonde_budget_denied_total": t.denied,
	} {
		if got[name] != want {
			l.t.Errorf("%s is %d, want %d", name, got[name], want)
		}
	}
	for series, want := range t.by {
		if got[series] != want {
			l.t.Errorf("%s is %d, want %d", series, got[series], want)
		}
	}
	seen, accepted := l.came()
	seen, accepted = seen-l.before.seen, accepted-l.before.accepted
	if seen > t.sent || accepted > t.sent {
		l.t.Errorf("%d requests came over %d connections, want at most %d", seen, accepted, t.sent)
	}
}

// turnPage forgets the numbers so far, so that the next run's stand alone.
func (l *lab) turnPage() {
	l.laws()
	for _, p := range l.probes {
		l.recorder.Forget(p)
		l.recorder.Declare(p)
	}
	l.mark()
}

// mark has what the sites saw so far count as seen before.
func (l *lab) mark() {
	l.before.seen, l.before.accepted = l.came()
}

// came is how many requests came to the sites, and how many connections, but those that a proxy made.
func (l *lab) came() (seen, accepted int) {
	for _, s := range l.sites {
		seen += len(s.requests())
		accepted += len(s.conns())
	}
	return seen, accepted - int(l.tunnels.Load())
}

// numbers are the recorder's counters, summed over the probes: by name, and by name and labels.
func (l *lab) numbers() map[string]int {
	l.t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(l.recorder)
	families, err := registry.Gather()
	if err != nil {
		l.t.Fatal(err)
	}
	numbers := map[string]int{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if m.Counter == nil {
				continue
			}
			n := int(m.Counter.GetValue())
			numbers[f.GetName()] += n
			if own := labels(m.GetLabel()); own != "" {
				numbers[f.GetName()+own] += n
			}
		}
	}
	return numbers
}

func labels(pairs []*dto.LabelPair) string {
	var b strings.Builder
	for _, p := range pairs {
		if p.GetName() != "probe" {
			fmt.Fprintf(&b, " %s=%s", p.GetName(), p.GetValue())
		}
	}
	return b.String()
}

// counts are the numbers as the table writes them, those that are 0 left out.
func (l *lab) counts() string {
	got := l.numbers()
	var words []string
	for _, c := range []struct{ short, name string }{
		{"a", "sonde_attempts_total"}, {"r", "sonde_retries_total"}, {"t", "sonde_transparent_resends_total"},
		{"amb", "sonde_ambiguous_resends_total"}, {"den", "sonde_budget_denied_total"}, {"f", "sonde_run_failures_total"},
		{"fl", "sonde_runs_flaky_total"}, {"u", "sonde_runs_unknown_total"},
	} {
		if n := got[c.name]; n > 0 {
			words = append(words, fmt.Sprint(c.short, n))
		}
	}
	return strings.Join(words, " ")
}
