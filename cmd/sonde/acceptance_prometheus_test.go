package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

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
	eventually(t, "Prometheus", answers("http://"+address+"/-/ready"))
	return &prometheus{"http://" + address + "/api/v1/query?query="}
}

// holds waits until a query has answered what is wanted of each probe, by the label probe, and says what is
// amiss. A scrape meets some probe's run half way, so not all need be as wanted at the same time; but there is
// never one that is not wanted.
func (p *prometheus) holds(t *testing.T, query string, wants map[string]any) (amiss string) {
	t.Helper()
	missing := maps.Clone(wants)
	amiss = wait(t, func() string {
		got, err := p.ask(query)
		if err != nil {
			return err.Error()
		}
		maps.DeleteFunc(missing, func(name string, want any) bool {
			value, there := got[name]
			least, open := want.(atLeast)
			return there && (open && value >= float64(least) || value == want)
		})
		var lines []string
		for name, want := range missing {
			lines = append(lines, fmt.Sprintf("%s is %v, want %v", name, got[name], want))
		}
		for name, value := range got {
			if _, ok := wants[name]; !ok {
				lines = append(lines, fmt.Sprintf("%s is %v, want no series", name, value))
			}
		}
		return strings.Join(lines, "; ")
	})
	if amiss != "" {
		amiss = query + ": " + amiss
	}
	return amiss
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
