package metrics

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// TestSeriesOf holds that the reckoned series are those of a scrape, line by line.
func TestSeriesOf(t *testing.T) {
	t.Parallel()
	then := time.Unix(1e9, 0)
	tls := &probe.TLSFacts{Version: "TLS 1.3", EarliestExpiry: then, LastChainExpiry: then}
	http := &probe.HTTP{Status: 200, LastModified: then}
	for _, c := range []struct {
		name     string
		probe    probe.Probe
		attempt  probe.Attempt
		attempts int
	}{
		{"http", probe.Probe{Name: "a", Kind: "http", Prober: securer(false)}, probe.Attempt{HTTP: http}, 2},
		{"https", probe.Probe{Name: "a", Kind: "http", Prober: securer(true)}, probe.Attempt{HTTP: http, TLS: tls}, 2},
		{"one attempt", probe.Probe{Name: "a", Kind: "http", Prober: securer(false)}, probe.Attempt{HTTP: http}, 1},
		{"tcp without tls", probe.Probe{Name: "a", Kind: "tcp", Prober: securer(false)}, probe.Attempt{}, 4},
		{"a kind that does not say", probe.Probe{Name: "a", Kind: "tcp", Target: "a.example:1"}, probe.Attempt{TLS: tls}, 4},
		{"labels", probe.Probe{Name: "a", Kind: "tcp", Labels: []probe.Label{{Name: "team", Value: "x"}}}, probe.Attempt{TLS: tls}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := &c.probe
			p.Policy.Attempts = c.attempts
			r := New(Build{})
			r.Declare(p)
			c.attempt.Number, c.attempt.OK = 1, true
			r.AttemptDone(p, &c.attempt)
			r.RunDone(&probe.Result{Probe: p, Verdict: probe.Up, Started: then, Attempts: []probe.Attempt{c.attempt}})
			steady := scrapedSeries(r)
			for range 3 { // more runs with the same reason have no more series
				down := failing(p, c.attempt, c.attempts)
				for i := range down.Attempts {
					r.AttemptDone(p, &down.Attempts[i])
				}
				r.RunDone(down)
			}
			want := Series{Steady: steady, EachReason: scrapedSeries(r) - steady}
			if got := SeriesOf(p); got != want {
				t.Errorf("reckoned %+v, scraped %+v", got, want)
			}
		})
	}
}

// securer is a prober that says whether it speaks TLS.
type securer bool

func (securer) Probe(context.Context, probe.Try) probe.Attempt { return probe.Attempt{} }

func (s securer) Secures() bool { return bool(s) }

func failing(p *probe.Probe, a probe.Attempt, n int) *probe.Result {
	r := &probe.Result{Probe: p, Verdict: probe.Down, Reason: probe.ReasonConnectRefused, Stop: retry.StopAttempts, Started: time.Unix(1e9, 0)}
	a.OK, a.Reason = false, probe.ReasonConnectRefused
	for i := range n {
		a.Number = i + 1
		r.Attempts = append(r.Attempts, a)
	}
	return r
}

// scrapedSeries counts the lines of the text form that bear the label probe.
func scrapedSeries(r *Recorder) int {
	answer := httptest.NewRecorder()
	r.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	n := 0
	for line := range strings.Lines(answer.Body.String()) {
		if strings.Contains(line, `probe="a"`) {
			n++
		}
	}
	return n
}
