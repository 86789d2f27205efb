package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

// TestMetricsMergeFieldByField goes from the top level of a file over profiles to probes and targets.
func TestMetricsMergeFieldByField(t *testing.T) {
	t.Parallel()
	set := load(t, `
include: other.yaml
metrics: {histograms: classic, probe_gauges: false}
profiles:
  poor: {metrics: {histograms: off, reasons: false}}
  by-target: {metrics: {histograms: "{{target.sides}}"}}
probes:
  - {name: as-the-file, plain: {address: a}}
  - {name: as-a-profile, use: poor, plain: {address: a}}
  - {name: own, use: poor, metrics: {histograms: native, probe_gauges: true}, plain: {address: a}}
  - name: each
    use: by-target
    targets: [{name: one, sides: both}, {name: two, sides: native}]
    plain: {address: "{{target.name}}"}
`, map[string]string{"other.yaml": "probes: [{name: elsewhere, plain: {address: a}}]"})
	got := map[string]probe.Metrics{}
	for _, p := range set.Probes {
		got[p.Name] = p.Metrics
	}
	want := map[string]probe.Metrics{
		"elsewhere":    {},
		"as-the-file":  {Histograms: probe.HistogramsClassic, NoGauges: true},
		"as-a-profile": {Histograms: probe.HistogramsOff, NoReasons: true, NoGauges: true},
		"own":          {Histograms: probe.HistogramsNative, NoReasons: true},
		"each.one":     {NoGauges: true},
		"each.two":     {Histograms: probe.HistogramsNative, NoGauges: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
