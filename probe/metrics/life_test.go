package metrics

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

// TestDeclaredProbeStartsAtZero holds that every counter without a reason, and both histograms, exist
// from the first scrape, so that the first event is an increase.
func TestDeclaredProbeStartsAtZero(t *testing.T) {
	r := New(Build{})
	r.Declare(page())
	want := `sonde_ambiguous_resends_total{probe="page"} 0
sonde_attempt_duration_seconds_sum{probe="page"} 0
sonde_attempt_duration_seconds_count{probe="page"} 0
sonde_attempts_total{probe="page"} 0
sonde_budget_denied_total{probe="page"} 0
sonde_build_info{goversion="",revision="",version=""} 1
sonde_log_lines_dropped_total 0
sonde_probe_info{group="shop",interval="1m30s",kind="http",probe="page",target="https://shop.example.com/"} 1
sonde_retry_wait_seconds_total{probe="page",source="backoff"} 0
sonde_retry_wait_seconds_total{probe="page",source="retry_after"} 0
sonde_run_duration_seconds_sum{probe="page"} 0
sonde_run_duration_seconds_count{probe="page"} 0
sonde_run_failures_total{probe="page"} 0
sonde_runs_flaky_total{probe="page"} 0
sonde_runs_skipped_total{cause="clock",probe="page"} 0
sonde_runs_skipped_total{cause="overlap",probe="page"} 0
sonde_runs_skipped_total{cause="overload",probe="page"} 0
sonde_runs_total{probe="page"} 0
sonde_runs_unknown_total{probe="page"} 0
sonde_scheduler_lag_seconds_sum 0
sonde_scheduler_lag_seconds_count 0
sonde_transparent_resends_total{probe="page"} 0
`
	if diff := cmp.Diff(want, exposed(t, r, "sonde_", "probe_")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestChangedProbeKeepsItsCounters also changes group, labels, interval and target.
func TestChangedProbeKeepsItsCounters(t *testing.T) {
	inBubble(t, func(t *testing.T, r *Recorder) {
		before := plays(passed(time.Second))
		before.Labels = []probe.Label{{Name: "team", Value: "a"}, {Name: "tier", Value: "1"}}
		r.Declare(before)
		run(r, before, 2)
		after := plays(passed(time.Second))
		after.Group, after.Interval, after.Target = "new", time.Hour, "u:2"
		after.Labels = []probe.Label{{Name: "owner", Value: "b"}}
		r.Declare(after)
		run(r, after, 1)
		run(r, before, 1) // a run of the old one that was still going
		want := `sonde_probe_info{group="new",interval="1h",kind="tcp",owner="b",probe="p",target="u:2"} 1
sonde_runs_total{owner="b",probe="p"} 4
`
		if diff := cmp.Diff(want, exposed(t, r, "sonde_probe_info", "sonde_runs_total")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

// TestForgottenProbeLeavesNoSeries also when something of it comes late.
func TestForgottenProbeLeavesNoSeries(t *testing.T) {
	inBubble(t, func(t *testing.T, r *Recorder) {
		gone, stays := plays(failed(probe.ReasonConnectRefused, time.Second)), page()
		r.Declare(gone)
		r.Declare(stays)
		run(r, gone, 2)
		r.Forget(gone)
		run(r, gone, 1)
		r.Skipped(gone, probe.SkipOverlap, 1)
		text := exposed(t, r)
		if strings.Contains(text, `probe="p"`) || !strings.Contains(text, `probe="page"`) {
			t.Errorf("after Forget of p there is\n%s", text)
		}
		r.Declare(gone)
		if text := exposed(t, r, "sonde_runs_total"); !strings.Contains(text, `sonde_runs_total{probe="p"} 0`) {
			t.Errorf("a probe that came back has\n%s, want it to start at 0", text)
		}
	})
}

func TestSkippedRuns(t *testing.T) {
	r := New(Build{})
	r.Declare(page())
	r.Skipped(page(), probe.SkipOverlap, 1)
	r.Skipped(page(), probe.SkipClock, 60)
	want := `sonde_runs_skipped_total{cause="clock",probe="page"} 60
sonde_runs_skipped_total{cause="overlap",probe="page"} 1
sonde_runs_skipped_total{cause="overload",probe="page"} 0
`
	if diff := cmp.Diff(want, exposed(t, r, "sonde_runs_skipped")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestLag(t *testing.T) {
	r := New(Build{})
	r.Lag(3 * time.Millisecond)
	r.Lag(time.Minute)
	text := exposed(t, r)
	for _, want := range []string{
		`sonde_scheduler_lag_seconds_bucket{le="0.0025"} 0`, `sonde_scheduler_lag_seconds_bucket{le="0.005"} 1`,
		`sonde_scheduler_lag_seconds_bucket{le="5"} 1`, `sonde_scheduler_lag_seconds_count 2`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
}

// TestReloads goes from the first load over a bad file to a good one.
func TestReloads(t *testing.T) {
	steps := []struct {
		name string
		do   func(r *Recorder)
		want string
	}{
		{"not yet loaded", func(*Recorder) {}, ""},
		{"loaded", func(r *Recorder) { r.Reloaded(true, time.Unix(1000, 5e8), "ffffffffffff0123456789") },
			"sonde_config_hash 2.81474976710655e+14\nsonde_config_last_reload_success_timestamp_seconds 1000.5\nsonde_config_last_reload_successful 1\n"},
		{"a bad file", func(r *Recorder) { r.Reloaded(false, time.Unix(2000, 0), "0a") },
			"sonde_config_hash 2.81474976710655e+14\nsonde_config_last_reload_success_timestamp_seconds 1000.5\nsonde_config_last_reload_successful 0\n"},
		{"mended", func(r *Recorder) { r.Reloaded(true, time.Unix(3000, 0), "0a") },
			"sonde_config_hash 10\nsonde_config_last_reload_success_timestamp_seconds 3000\nsonde_config_last_reload_successful 1\n"},
		{"a hash that is not hex", func(r *Recorder) { r.Reloaded(true, time.Unix(3000, 0), "sha256:00") },
			"sonde_config_hash 0\nsonde_config_last_reload_success_timestamp_seconds 3000\nsonde_config_last_reload_successful 1\n"},
	}
	r := New(Build{})
	for _, s := range steps {
		s.do(r)
		if diff := cmp.Diff(s.want, exposed(t, r, "sonde_config")); diff != "" {
			t.Errorf("%s: -want +got:\n%s", s.name, diff)
		}
	}
	r = New(Build{})
	r.Reloaded(false, time.Unix(1, 0), "ff")
	if diff := cmp.Diff("sonde_config_last_reload_successful 0\n", exposed(t, r, "sonde_config")); diff != "" {
		t.Errorf("first load failed: -want +got:\n%s", diff)
	}
}
