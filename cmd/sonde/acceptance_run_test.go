package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// testRun runs sonde for good, lets Prometheus scrape it with the rules of examples, and asks
// Prometheus what it has. A round in which sonde says that it was late does not count, and the limits of the next
// are longer; the last one counts.
func (a *acceptance) testRun(t *testing.T) {
	const last = 16
	for stretch := 1; ; stretch *= 4 {
		amiss, late := a.runRound(t, stretch)
		if amiss != "" && late && stretch < last {
			t.Logf("sonde was late: %s", amiss)
			continue
		}
		if amiss != "" {
			t.Error(amiss)
		}
		return
	}
}

// runRound says what is amiss, and whether sonde has been late.
func (a *acceptance) runRound(t *testing.T, stretch int) (amiss string, late bool) {
	free := freeAddresses(t, 2)
	file := a.write(t, fmt.Sprintf("run-%d.yaml", stretch), stretched(acceptanceFile, stretch))
	sonde := start(t, a.sonde, "run", "--config.file="+file, "--web.listen-address="+free[0], "--log.level=error")
	metrics := "http://" + free[0] + "/metrics"
	eventually(t, "sonde", answers("http://"+free[0]+"/-/ready"))
	prometheus := startPrometheus(t, free[1], free[0])
	if amiss = prometheus.holdsAll(t); amiss == "" {
		amiss = prometheus.answersDashboard(t)
	}
	checkMetrics(t, metrics)
	late = total(scrape(t, metrics), "sonde_runs_unknown_total") > 0
	if code := sonde.stop(t); code != statusOK {
		t.Errorf("sonde run exits %d after SIGTERM, want 0", code)
	}
	return amiss, late
}

// holding is a query and what it has to answer of a probe: a float64, an atLeast, or nil for no series.
type holding struct {
	query string
	want  func(wanted) any
}

// holdings are in the order in which they come true.
var holdings = []holding{
	{`sonde_runs_total >= 3`, func(s wanted) any { return atLeast(3) }},
	{`probe_success`, func(s wanted) any { return s.passes() }},
	{`sonde_run_failures_total / sonde_runs_total`, func(s wanted) any { return 1 - s.passes() }},
	{`sonde_runs_flaky_total / sonde_runs_total`, func(s wanted) any { return s.isFlaky() }},
	{`sonde_runs_unknown_total`, func(s wanted) any { return 0.0 }},
	{`sonde_attempts_total / sonde_runs_total`, func(s wanted) any { return float64(s.Attempts) }},
	{`sum by (probe) (sonde_retries_total) / on (probe) sonde_runs_total`, retriesOf},
	{`sum by (probe) (sonde_retries_total{reason="status"}) / on (probe) sonde_runs_total`, func(s wanted) any {
		return only(s.Reason == "status" || s.Verdict == "flaky", retriesOf(s))
	}},
	{`sum by (probe) (sonde_failures_total{reason="status", stop="attempts"}) / on (probe) sonde_runs_total`, func(s wanted) any {
		return only(s.Reason == "status" && s.Stop == "attempts", 1.0)
	}},
	{`sonde_run_duration_seconds_count / sonde_runs_total`, func(s wanted) any { return 1.0 }},
	{`sum by (probe) (sonde_run_duration_seconds_bucket{le="+Inf"}) / on (probe) sonde_runs_total`, func(s wanted) any { return 1.0 }},
	{`sonde_attempt_duration_seconds_count / sonde_attempts_total`, func(s wanted) any { return 1.0 }},
	{`sonde_verdict{verdict="down"}`, func(s wanted) any { return 1 - s.passes() }},
	{`probe_http_status_code != 0`, func(s wanted) any { return only(s.Status != 0, float64(s.Status)) }},
	{`ceil((probe_ssl_earliest_cert_expiry - time()) / 3600)`, func(s wanted) any {
		return only(s.Version == "HTTP/2.0" || s.Phase == "tls", 1.0)
	}},
	{`sum by (probe) (ALERTS{alertname="ProbeDown"})`, func(s wanted) any { return only(s.passes() == 0, 1.0) }},
}

// holdsAll waits until each query has had its answer, and says what is amiss with the first that has not.
func (p *prometheus) holdsAll(t *testing.T) (amiss string) {
	t.Helper()
	for _, h := range holdings {
		wants := map[string]any{}
		for name, s := range acceptanceWant {
			if w := h.want(s); w != nil {
				wants[name] = w
			}
		}
		if amiss := p.holds(t, h.query, wants); amiss != "" {
			return amiss
		}
	}
	const median = `histogram_quantile(0.5, sonde_attempt_duration_seconds_bucket{probe="slow"}) > bool 0.5`
	if amiss := p.holds(t, median, map[string]any{"slow": 1.0}); amiss != "" {
		return amiss
	}
	return p.holds(t, `sonde_config_last_reload_successful`, map[string]any{"": 1.0})
}

func (s wanted) passes() float64 {
	if s.Verdict == "up" || s.Verdict == "flaky" {
		return 1
	}
	return 0
}

func (s wanted) isFlaky() float64 {
	if s.Verdict == "flaky" {
		return 1
	}
	return 0
}

// retriesOf is how many retries a run has; none has no series.
func retriesOf(s wanted) any { return only(s.Attempts > 1, float64(s.Attempts-1)) }

// only is a value where one is wanted, and nil where the probe must have no series.
func only(wanted bool, value any) any {
	if wanted {
		return value
	}
	return nil
}

// atLeast is a value that may be greater.
type atLeast float64

// testAlerts holds that the alerts of examples fire when they should.
func testAlerts(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "promtool", "test", "rules", "alerts.test.yml")
	cmd.Dir = filepath.Join(root, "examples", "prometheus")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool test rules: %v\n%s", err, out)
	}
}

// testRelabelings holds that Prometheus takes the lines that prometheus.yml has for rules of blackbox_exporter.
func testRelabelings(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"prometheus.yml": withRelabelings(t), "alerts.yml": readFile(t, "examples/prometheus/alerts.yml")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "promtool", "check", "config", filepath.Join(dir, "prometheus.yml")).CombinedOutput(); err != nil {
		t.Errorf("promtool check config: %v\n%s", err, out)
	}
}

// checkMetrics holds that Prometheus' own linter finds nothing to say about what a URL exports.
func checkMetrics(t *testing.T, url string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "promtool", "check", "metrics")
	cmd.Stdin = bytes.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
}
