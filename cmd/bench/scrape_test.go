package main

import (
	"context"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const exposition = `# HELP sonde_runs_total Ended runs
# TYPE sonde_runs_total counter
sonde_runs_total{probe="a"} 3
sonde_runs_total{probe="b"} 4
sonde_run_failures_total{probe="a"} 1
sonde_runs_unknown_total{probe="a"} 2
sonde_attempt_failures_total{probe="a",reason="deadline"} 1
sonde_attempt_failures_total{probe="b",reason="deadline"} 2
sonde_failures_total{probe="a",reason="deadline",stop="attempts"} 1
sonde_runs_skipped_total{probe="a",cause="overlap"} 5
sonde_runs_skipped_total{probe="a",cause="clock"} 0
sonde_probe_info{probe="a",target="http://x/{}\" y",group="",kind="http"} 1
sonde_scheduler_lag_seconds_bucket{le="0.001"} 90
sonde_scheduler_lag_seconds_bucket{le="0.0025"} 100
sonde_scheduler_lag_seconds_bucket{le="+Inf"} 100
sonde_scheduler_lag_seconds_sum 0.1
probe_duration_seconds{probe="a"} 0.001
probe_duration_seconds{probe="b"} 3e-03
go_gc_duration_seconds{quantile="0"} NaN
process_open_fds 12
`

// sameNumber finds numbers equal that differ by rounding only, and nothing equal to nothing.
var sameNumber = cmp.Comparer(func(a, b number) bool {
	return a == b || !a.there() && !b.there() || math.Abs(float64(a-b)) < 1e-9
})

func TestParseMetrics(t *testing.T) {
	t.Parallel()
	read, err := parseMetrics(strings.NewReader(exposition))
	if err != nil {
		t.Fatal(err)
	}
	got := newSample()
	read.into(got)
	want := newSample()
	want.lag = spread{N: 100, P50: .001 * 50 / 90, P99: .001 + .0015*.9, Max: .0025}
	want.duration, want.failures, want.down, want.unknown, want.skipped = .002, 3, 1, 2, 5
	want.reasons = "failed: deadline 3; down: deadline/attempts 1; skipped: overlap 5"
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(sample{}), sameNumber); diff != "" {
		t.Errorf("want - got +:\n%s", diff)
	}
}

func TestParseMetricsRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"sonde_runs_total{probe=\"a\" 3\n", "sonde_runs_total many\n", "sonde_runs_total\n"} {
		if _, err := parseMetrics(strings.NewReader(text)); err == nil {
			t.Errorf("%q is no error, want one", text)
		}
	}
}

// Of three scrapes the second fails, and the last is cut by the end.
func TestScrapesAreCounted(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		switch asked++; asked {
		case 1:
			io.WriteString(w, exposition)
		case 2:
			w.WriteHeader(http.StatusInternalServerError)
		default:
			stop()
		}
	}))
	defer server.Close()
	if got, want := (&sondeRunning{url: server.URL, program: &process{}}).scrapeOften(ctx, 0), (scrapeCount{ended: 2, failed: 1}); got != want {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

func TestSpreadOfBuckets(t *testing.T) {
	t.Parallel()
	inf := number(math.Inf(1))
	for _, tt := range []struct {
		name    string
		buckets []bucket
		want    spread
	}{
		{"none", nil, spread{P50: nothing, P99: nothing, Max: nothing}},
		{"empty", []bucket{{1, 0}, {inf, 0}}, spread{P50: nothing, P99: nothing, Max: nothing}},
		{"in any order", []bucket{{inf, 4}, {2, 4}, {1, 2}}, spread{N: 4, P50: 1, P99: 1.98, Max: 2}},
		{"above the last bound", []bucket{{1, 1}, {inf, 4}}, spread{N: 4, P50: 1, P99: 1, Max: inf}},
	} {
		if diff := cmp.Diff(tt.want, spreadOf(tt.buckets), sameNumber); diff != "" {
			t.Errorf("%s, want - got +:\n%s", tt.name, diff)
		}
	}
}
