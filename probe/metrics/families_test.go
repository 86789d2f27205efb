package metrics

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"

	"sonde/probe"
)

// full is a recorder on which every family has a series.
func full(t *testing.T) *Recorder {
	t.Helper()
	r := New(Build{"1.2.3", "abc", "go1.26"})
	r.Reloaded(true, time.Unix(1, 0), "ff")
	r.Sharded(1, 4)
	r.WebReloaded(true)
	p := page()
	r.Declare(p)
	last := change(failed(probe.ReasonStatus, time.Second), func(a *probe.Attempt) {
		a.Number, a.HTTP, a.TLS = 2, &probe.HTTP{LastModified: time.Unix(1, 0)}, &probe.TLSFacts{
			Version: "TLS 1.3", EarliestExpiry: time.Unix(2, 0), LastChainExpiry: time.Unix(3, 0),
		}
	})
	r.AttemptDone(p, &last)
	r.RunDone(&probe.Result{Probe: p, Verdict: probe.Down, Reason: probe.ReasonStatus, Stop: "attempts", Attempts: []probe.Attempt{last}})
	r.RunDone(&probe.Result{Probe: p, Verdict: probe.Up, Stop: "success", Started: time.Unix(9, 0), Attempts: []probe.Attempt{last}})
	return r
}

// page is a probe of kind http.
func page() *probe.Probe {
	return &probe.Probe{Name: "page", Kind: "http", Group: "shop", Target: "https://shop.example.com/", Interval: 90 * time.Second}
}

func gather(t *testing.T, r *Recorder) []*dto.MetricFamily {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(r)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// TestTableIsWhatIsExported holds names, types, help, labels and bounds to the table, both ways.
func TestTableIsWhatIsExported(t *testing.T) {
	r := full(t)
	byName := map[string]Family{}
	for _, f := range All() {
		byName[f.Name] = f
	}
	for _, got := range gather(t, r) {
		row, ok := byName[got.GetName()]
		if !ok {
			t.Errorf("%s is exported, but not in the table", got.GetName())
			continue
		}
		delete(byName, row.Name)
		if diff := cmp.Diff(describe(row), describe(asFamily(got))); diff != "" {
			t.Errorf("%s: -table +exported:\n%s", row.Name, diff)
		}
	}
	for name := range byName {
		t.Errorf("%s is in the table, but not exported", name)
	}
}

// describe is what a row of the table promises of its series.
func describe(f Family) map[string]any {
	labels := slices.Clone(f.Labels)
	if f.PerProbe {
		labels = append(labels, labelProbe)
	}
	slices.Sort(labels)
	return map[string]any{"type": f.Type, "help": f.Help, "labels": labels, "bounds": append([]float64{}, f.Bounds...)}
}

// asFamily is an exported family as a row of the table.
func asFamily(m *dto.MetricFamily) Family {
	types := map[dto.MetricType]Type{
		dto.MetricType_COUNTER: Counter, dto.MetricType_GAUGE: Gauge, dto.MetricType_HISTOGRAM: Histogram,
	}
	f := Family{Name: m.GetName(), Help: m.GetHelp(), Type: types[m.GetType()]}
	for _, l := range m.Metric[0].Label {
		f.Labels = append(f.Labels, l.GetName())
	}
	for _, b := range m.Metric[0].GetHistogram().GetBucket() {
		f.Bounds = append(f.Bounds, b.GetUpperBound())
	}
	return f
}

// TestTableIsLegal holds what the code relies on.
func TestTableIsLegal(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All() {
		if seen[f.Name] {
			t.Errorf("%s is in the table twice", f.Name)
		}
		seen[f.Name] = true
		if (f.read != nil) != f.PerProbe || (f.readProcess != nil) == f.PerProbe {
			t.Errorf("%s: a family is read from a probe or from the process, as PerProbe says", f.Name)
		}
		if (f.Type == Histogram) != (len(f.Bounds) > 0) || len(f.Bounds) > maxBounds || !slices.IsSorted(f.Bounds) {
			t.Errorf("%s: bounds %v, want up to %d in order for a histogram, else none", f.Name, f.Bounds, maxBounds)
		}
		if f.Help == "" || f.Since == "" || f.Help[len(f.Help)-1] == '.' {
			t.Errorf("%s: want help without a full stop, and since when it exists", f.Name)
		}
	}
	if len(reasons) > 1<<reasonBits || len(stops) > 1<<stopBits || numFacts > 32 {
		t.Errorf("%d reasons, %d stops, %d facts do not fit their bits", len(reasons), len(stops), numFacts)
	}
	if !slices.Equal(skips[:], probe.SkipCauses()) {
		t.Errorf("causes are %v, want %v", skips, probe.SkipCauses())
	}
}

func TestLint(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(full(t))
	problems, err := testutil.GatherAndLint(registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestTargetFamiliesSayWhatUnknownDoes holds that whoever reads the help of one of blackbox_exporter's
// names learns that an unknown run does not change it.
func TestTargetFamiliesSayWhatUnknownDoes(t *testing.T) {
	for _, f := range targetFamilies {
		if !strings.HasSuffix(f.Help, "a run whose verdict is unknown leaves it as it was") {
			t.Errorf("the help of %s does not say what an unknown run does: %q", f.Name, f.Help)
		}
	}
}
