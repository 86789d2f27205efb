package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// testRun runs sonde for good, lets Prometheus scrape it with the rules of examples, and asks
// Prometheus what it has.
func (a *acceptance) testRun(t *testing.T) {
	free := freeAddresses(t, 2)
	sonde := start(t, a.sonde, "run", "--config.file="+a.file, "--web.listen-address="+free[0], "--log.level=error")
	eventually(t, 10*time.Second, "sonde", answers("http://"+free[0]+"/-/ready"))
	p := startPrometheus(t, free[1], free[0])
	// In the order in which they come true.
	p.holds(t, `sonde_runs_total >= 3`, func(s wanted) any { return atLeast(3) })
	p.holds(t, `probe_success`, func(s wanted) any { return s.passes() })
	p.holds(t, `sonde_run_failures_total / sonde_runs_total`, func(s wanted) any { return 1 - s.passes() })
	p.holds(t, `sonde_runs_flaky_total / sonde_runs_total`, func(s wanted) any { return s.isFlaky() })
	p.holds(t, `sonde_runs_unknown_total`, func(s wanted) any { return 0.0 })
	p.holds(t, `sonde_attempts_total / sonde_runs_total`, func(s wanted) any { return float64(s.Attempts) })
	p.holds(t, `sum by (probe) (sonde_retries_total) / on (probe) sonde_runs_total`, retriesOf)
	p.holds(t, `sum by (probe) (sonde_retries_total{reason="status"}) / on (probe) sonde_runs_total`, func(s wanted) any {
		return only(s.Reason == "status" || s.Verdict == "flaky", retriesOf(s))
	})
	p.holds(t, `sum by (probe) (sonde_failures_total{reason="status", stop="attempts"}) / on (probe) sonde_runs_total`, func(s wanted) any {
		return only(s.Reason == "status" && s.Stop == "attempts", 1.0)
	})
	p.holds(t, `sonde_run_duration_seconds_count / sonde_runs_total`, func(s wanted) any { return 1.0 })
	p.holds(t, `sum by (probe) (sonde_run_duration_seconds_bucket{le="+Inf"}) / on (probe) sonde_runs_total`, func(s wanted) any { return 1.0 })
	p.holds(t, `sonde_attempt_duration_seconds_count / sonde_attempts_total`, func(s wanted) any { return 1.0 })
	p.holds(t, `sonde_verdict{verdict="down"}`, func(s wanted) any { return 1 - s.passes() })
	p.holds(t, `probe_http_status_code != 0`, func(s wanted) any { return only(s.Status != 0, float64(s.Status)) })
	p.holds(t, `ceil((probe_ssl_earliest_cert_expiry - time()) / 3600)`, func(s wanted) any {
		return only(s.Version == "HTTP/2.0" || s.Phase == "tls", 1.0)
	})
	p.holds(t, `sum by (probe) (ALERTS{alertname="ProbeDown"})`, func(s wanted) any { return only(s.passes() == 0, 1.0) })
	p.holdsOf(t, `histogram_quantile(0.5, sonde_attempt_duration_seconds_bucket{probe="slow"}) > bool 0.5`, map[string]any{"slow": 1.0})
	p.holdsOf(t, `sonde_config_last_reload_successful`, map[string]any{"": 1.0})
	checkMetrics(t, "http://"+free[0]+"/metrics")
	if code := sonde.stop(t); code != statusOK {
		t.Errorf("sonde run exits %d after SIGTERM, want 0", code)
	}
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

// prometheus is a running Prometheus.
type prometheus struct{ api string }

// startPrometheus starts Prometheus with the configuration and the rules of examples, hastened, and
// waits until it answers.
func startPrometheus(t *testing.T, address, target string) *prometheus {
	t.Helper()
	dir := t.TempDir()
	hasten := strings.NewReplacer("localhost:10115", target, "interval: 15s", "interval: 1s")
	for _, name := range []string{"prometheus.yml", "alerts.yml"} {
		text := hasten.Replace(readFile(t, "examples/prometheus/"+name))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(dir, "prometheus.yml")
	if out, err := exec.CommandContext(t.Context(), "promtool", "check", "config", config).CombinedOutput(); err != nil {
		t.Fatalf("promtool check config: %v\n%s", err, out)
	}
	start(t, "prometheus", "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+address, "--log.level=warn")
	eventually(t, 20*time.Second, "Prometheus", answers("http://"+address+"/-/ready"))
	return &prometheus{"http://" + address + "/api/v1/query?query="}
}

// holds waits until a query answers, for each probe of the acceptance file, the wanted value: a float64,
// an atLeast, or nil for no series.
func (p *prometheus) holds(t *testing.T, query string, want func(wanted) any) {
	t.Helper()
	wants := map[string]any{}
	for name, s := range acceptanceWant {
		if w := want(s); w != nil {
			wants[name] = w
		}
	}
	p.holdsOf(t, query, wants)
}

// holdsOf waits until a query answers what is wanted by the label probe, and no more.
func (p *prometheus) holdsOf(t *testing.T, query string, wants map[string]any) {
	t.Helper()
	eventually(t, 40*time.Second, query, func() string {
		got, err := p.ask(query)
		if err != nil {
			return err.Error()
		}
		var amiss []string
		for name, want := range wants {
			value, there := got[name]
			least, open := want.(atLeast)
			if !there || open && value < float64(least) || !open && value != want {
				amiss = append(amiss, fmt.Sprintf("%s is %v (there: %t), want %v", name, value, there, want))
			}
			delete(got, name)
		}
		for name, value := range got {
			amiss = append(amiss, fmt.Sprintf("%s is %v, want no series", name, value))
		}
		return strings.Join(amiss, "; ")
	})
}

// ask is the answer to a query, by the label probe.
func (p *prometheus) ask(query string) (map[string]float64, error) {
	resp, err := http.Get(p.api + url.QueryEscape(query))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answer struct {
		Error string
		Data  struct {
			Result []struct {
				Metric map[string]string
				Value  [2]any
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, err
	}
	if answer.Error != "" {
		return nil, fmt.Errorf("the query is refused: %s", answer.Error)
	}
	values := map[string]float64{}
	for _, r := range answer.Data.Result {
		v, err := strconv.ParseFloat(r.Value[1].(string), 64)
		if err != nil {
			return nil, err
		}
		values[r.Metric["probe"]] = v
	}
	return values, nil
}
