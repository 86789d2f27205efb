package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"sonde/probe/conn"
	"sonde/probe/kinds"
	"sonde/probe/metrics"
	"sonde/schema"
)

// loadShipped holds that files which are shipped load without a problem and without a warning.
func loadShipped(t *testing.T, paths ...string) *schema.Set {
	t.Helper()
	network := conn.New(conn.Options{})
	t.Cleanup(network.Close)
	set, err := elsewhere().Load(paths, kinds.All(network, "test"))
	if err != nil {
		t.Errorf("loading %q: %v", paths, err)
		return &schema.Set{}
	}
	t.Cleanup(func() { closeAll(set.Probes) })
	for _, w := range set.Warnings {
		t.Errorf("loading %q warns: %s", paths, w)
	}
	if len(set.Probes) == 0 {
		t.Errorf("%q declares no probe", paths)
	}
	return set
}

// elsewhere is a machine on which every variable is set and every secret is in its place.
func elsewhere() schema.World {
	w := schema.System()
	w.LookupEnv = func(string) (string, bool) { return "filled-in", true }
	read := w.ReadFile
	w.ReadFile = func(name string, limit int64) ([]byte, error) {
		data, err := read(name, limit)
		if errors.Is(err, fs.ErrNotExist) {
			return []byte("filled-in\n"), nil
		}
		return data, err
	}
	return w
}

// loadText is loadShipped for a text.
func loadText(t *testing.T, text string) *schema.Set {
	t.Helper()
	file := filepath.Join(t.TempDir(), "probes.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return loadShipped(t, file)
}

func TestShippedFilesLoad(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(root, "examples", "*.yaml"))
	if err != nil || len(files) < 3 {
		t.Fatalf("examples has %q (%v), want at least one file a kind and a whole situation", files, err)
	}
	for _, file := range append(files, filepath.Join(root, "probes.yaml")) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			loadShipped(t, file)
		})
	}
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		loadShipped(t, filepath.Join(root, "examples"))
	})
}

func TestDemoFileLoads(t *testing.T) {
	t.Parallel()
	if got := len(loadText(t, demoFile).Probes); got < 15 {
		t.Errorf("the demo has %d probes, want at least 15", got)
	}
}

// TestAlertsKnowTheMetrics holds that the rules ask only for what sonde exports.
func TestAlertsKnowTheMetrics(t *testing.T) {
	t.Parallel()
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Record, Expr, For string }
		}
	}
	if err := yaml.Unmarshal([]byte(readFile(t, "examples/prometheus/alerts.yml")), &rules); err != nil {
		t.Fatal(err)
	}
	alerts := 0
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			knownMetrics(t, rule.Alert+rule.Record, rule.Expr)
			if rule.Alert == "" {
				continue
			}
			alerts++
			// One run that is unknown says too little to wake somebody; one that is down says enough.
			want := cmp.Or(map[string]string{"ProbeUnknown": "5m", "ProbeDownInPart": "5m", "ProbeNeverRan": "15m"}[rule.Alert], "1m")
			if rule.For != want {
				t.Errorf("%s is for %q, want %s", rule.Alert, rule.For, want)
			}
		}
	}
	if alerts == 0 {
		t.Error("alerts.yml has no alert")
	}
}

// knownMetrics holds that a text names only metrics that there are.
func knownMetrics(t *testing.T, where, text string) {
	t.Helper()
	names := regexp.MustCompile(`\b(sonde|probe)_[a-z_]+\b`).FindAllString(text, -1)
	for _, name := range names {
		name = strings.TrimSuffix(name, "_bucket")
		if !slices.ContainsFunc(metrics.All(), func(f metrics.Family) bool { return f.Name == name }) {
			t.Errorf("%s names the metric %s, which there is not", where, name)
		}
	}
}

func TestPrometheusScrapesTheDefaultPort(t *testing.T) {
	t.Parallel()
	var config struct {
		RuleFiles     []string `yaml:"rule_files"`
		ScrapeConfigs []struct {
			StaticConfigs []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal([]byte(readFile(t, "examples/prometheus/prometheus.yml")), &config); err != nil {
		t.Fatal(err)
	}
	for _, file := range config.RuleFiles {
		readFile(t, "examples/prometheus/"+file)
	}
	if got := config.ScrapeConfigs[0].StaticConfigs[0].Targets; !slices.Equal(got, []string{"localhost:10115"}) {
		t.Errorf("Prometheus scrapes %q, want sonde's default, localhost:10115", got)
	}
}

// relabeling is what Prometheus does to a series as it is scraped.
type relabeling struct {
	SourceLabels []string `yaml:"source_labels"`
	Regex        string
	TargetLabel  string `yaml:"target_label"`
}

// of applies it, with the first group as what is put in, as by default.
func (r relabeling) of(labels map[string]string) {
	var sources []string
	for _, name := range r.SourceLabels {
		sources = append(sources, labels[name])
	}
	if m := regexp.MustCompile("^(?:" + r.Regex + ")$").FindStringSubmatch(strings.Join(sources, ";")); m != nil {
		labels[r.TargetLabel] = m[1]
	}
}

// TestBlackboxRulesFindTheirInstance: by the lines that prometheus.yml has as a comment.
func TestBlackboxRulesFindTheirInstance(t *testing.T) {
	t.Parallel()
	var config struct {
		ScrapeConfigs []struct {
			Relabelings []relabeling `yaml:"metric_relabel_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal([]byte(withRelabelings(t)), &config); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, probe, instance, prober string }{
		{"probe_success", "shop-home", "shop-home", "sonde:10115"},
		{"sonde_verdict", "shop-home", "sonde:10115", ""},
		{"sonde_build_info", "", "sonde:10115", ""},
	} {
		labels := map[string]string{"__name__": test.name, "probe": test.probe, "instance": "sonde:10115"}
		for _, r := range config.ScrapeConfigs[0].Relabelings {
			r.of(labels)
		}
		if labels["instance"] != test.instance || labels["prober"] != test.prober {
			t.Errorf("%s has instance %q and prober %q, want %q and %q", test.name, labels["instance"], labels["prober"], test.instance, test.prober)
		}
	}
}

// withRelabelings is prometheus.yml with the lines for blackbox_exporter's rules taken out of their comment.
func withRelabelings(t *testing.T) string {
	t.Helper()
	before, lines, found := strings.Cut(readFile(t, "examples/prometheus/prometheus.yml"), "    # metric_relabel_configs:\n")
	if !found {
		t.Fatal("prometheus.yml has no metric_relabel_configs")
	}
	return before + "    metric_relabel_configs:\n" + regexp.MustCompile(`(?m)^    # `).ReplaceAllString(lines, "    ")
}
