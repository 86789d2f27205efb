package main

import (
	"fmt"
	"strings"
	"testing"

	"sonde/probe"
	"sonde/probe/metrics"
	"sonde/probe/retry"
)

// TestPagesKnowTheSeries holds the numbers of series that the pages say to what the table of metrics makes.
func TestPagesKnowTheSeries(t *testing.T) {
	t.Parallel()
	of := func(m probe.Metrics) metrics.Series {
		return metrics.SeriesOf(&probe.Probe{Kind: "http", Target: "https://a/", Metrics: m, Policy: retry.Policy{Attempts: 4}})
	}
	all := of(probe.Metrics{})
	off, bare := of(probe.Metrics{Histograms: probe.HistogramsOff}), of(probe.Metrics{NoGauges: true})
	least := of(probe.Metrics{Histograms: probe.HistogramsOff, NoReasons: true, NoGauges: true})
	text := readFile(t, "probe/metrics/SERIES.md") + readFile(t, "README.md")
	for _, want := range []string{
		fmt.Sprintf("An https probe has %d series", all.Steady),
		fmt.Sprintf("off: %d series fewer", all.Steady-off.Steady),
		fmt.Sprintf("# %d fewer: probe_success", all.Steady-bare.Steady),
		fmt.Sprintf("takes them down to %d.", least.Steady),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("neither SERIES.md nor README.md says %q", want)
		}
	}
	if all.EachReason != 3 || least.EachReason != 0 {
		t.Errorf("each reason makes %d series, and %d without reasons; SERIES.md says three and none", all.EachReason, least.EachReason)
	}
}
