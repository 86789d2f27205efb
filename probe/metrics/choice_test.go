package metrics

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"

	"sonde/probe"
)

// chosen is a probe that has failed and passed, under a choice of series.
func chosen(r *Recorder, m probe.Metrics) *probe.Probe {
	p := page()
	p.Metrics = m
	r.Declare(p)
	for _, reason := range []probe.Reason{probe.ReasonStatus, probe.ReasonConnectRefused, ""} {
		a := probe.Attempt{Number: 1, OK: reason == "", Reason: reason, Duration: 20 * time.Millisecond, HTTP: &probe.HTTP{Status: 200}}
		r.AttemptDone(p, &a)
		a.Number = 2
		r.AttemptDone(p, &a)
		result := resultOf(p, a)
		result.Duration = 40 * time.Millisecond
		r.RunDone(result)
	}
	return p
}

// namesOf are the names of the families, each once.
func namesOf(t *testing.T, r *Recorder) []string {
	t.Helper()
	var names []string
	for _, f := range gather(t, r) {
		names = append(names, f.GetName())
	}
	return names
}

// TestWithoutReasons holds that what is counted by reason is one series then, which is there from the
// first scrape on and holds the sum.
func TestWithoutReasons(t *testing.T) {
	r := New(Build{})
	p := page()
	p.Metrics.NoReasons = true
	r.Declare(p)
	by := []string{"sonde_attempt_failures", "sonde_retries", "sonde_failures"}
	zero := `sonde_attempt_failures_total{probe="page"} 0
sonde_failures_total{probe="page"} 0
sonde_retries_total{probe="page"} 0
`
	if diff := cmp.Diff(zero, exposed(t, r, by...)); diff != "" {
		t.Errorf("declared: -want +got:\n%s", diff)
	}
	chosen(r, probe.Metrics{NoReasons: true})
	want := `sonde_attempt_failures_total{probe="page"} 4
sonde_failures_total{probe="page"} 2
sonde_retries_total{probe="page"} 3
`
	if diff := cmp.Diff(want, exposed(t, r, by...)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	r.Declare(page())
	if text := exposed(t, r, by...); strings.Count(text, "reason=\"status\"") != 3 {
		t.Errorf("with reasons again there is\n%s", text)
	}
}

func TestWithoutGauges(t *testing.T) {
	r := New(Build{})
	chosen(r, probe.Metrics{NoGauges: true})
	for _, name := range namesOf(t, r) {
		if strings.HasPrefix(name, "probe_") {
			t.Errorf("there is %s", name)
		}
	}
	chosen(r, probe.Metrics{})
	if !slices.Contains(namesOf(t, r), "probe_success") {
		t.Error("with gauges again there is no probe_success")
	}
	r.Declare(chosen(r, probe.Metrics{NoGauges: true}))
	r.Declare(page())
	if slices.Contains(namesOf(t, r), "probe_success") {
		t.Error("a run that was not kept has become the last one")
	}
}

// histogramOf is the probe's histogram of attempts, nil when there is none.
func histogramOf(t *testing.T, r *Recorder) *dto.Histogram {
	t.Helper()
	for _, f := range gather(t, r) {
		if f.GetName() == "sonde_attempt_duration_seconds" {
			return f.Metric[0].Histogram
		}
	}
	return nil
}

// TestSidesOfHistograms holds what each choice exposes, and that a change of it keeps what is not let go.
func TestSidesOfHistograms(t *testing.T) {
	const both, native, classic, off = probe.HistogramsBoth, probe.HistogramsNative, probe.HistogramsClassic, probe.HistogramsOff
	for _, c := range []struct {
		from, to probe.Histograms
		kept     bool
	}{
		{"", both, true}, {both, classic, true}, {both, native, true}, {native, native, true}, {classic, classic, true},
		{classic, both, false}, {native, both, false}, {native, classic, false}, {classic, native, false},
		{off, both, false}, {off, off, false}, {both, off, false}, {off, classic, false},
	} {
		t.Run(string(c.from+" to "+c.to), func(t *testing.T) {
			r := New(Build{})
			p := chosen(r, probe.Metrics{Histograms: c.from})
			after := *p
			after.Metrics.Histograms = c.to
			r.Declare(&after)
			want := uint64(0)
			if c.kept {
				want = 6
			}
			checkSides(t, histogramOf(t, r), c.to, want)
			r.state(p.Name).attemptTime.buckets.each(func(e entry) {
				if e.side()&sidesOf(c.to) == 0 {
					t.Errorf("a bucket that is not shown is kept: %+v", e)
				}
			})
			if c.to != off {
				chosen(r, after.Metrics)
				checkSides(t, histogramOf(t, r), c.to, want+6)
			}
		})
	}
}

// checkSides holds that a histogram has the sides of a choice, and so many observations on each.
func checkSides(t *testing.T, h *dto.Histogram, of probe.Histograms, want uint64) {
	t.Helper()
	if (h == nil) != (of == probe.HistogramsOff) {
		t.Fatalf("the histogram is %v", h)
	}
	if h == nil {
		return
	}
	if h.GetSampleCount() != want || h.GetSampleSum() < 0.0199*float64(want) || h.GetSampleSum() > 0.0201*float64(want) {
		t.Errorf("%d observations of %v s, want %d", h.GetSampleCount(), h.GetSampleSum(), want)
	}
	sides := sidesOf(of)
	if got := uint64(len(h.Bucket)); (got > 0) != (sides&classicSide != 0) || got > 0 && h.Bucket[got-1].GetCumulativeCount() != want {
		t.Errorf("classic buckets are %v, want %d in them", h.Bucket, want)
	}
	if h.Schema != nil != (sides&nativeSide != 0) || h.Schema == nil && len(h.PositiveSpan) > 0 {
		t.Errorf("the native side is %v", h)
	}
	if native := nativeCount(h); sides&nativeSide != 0 && native != want {
		t.Errorf("%d in native buckets, want %d", native, want)
	}
}

func nativeCount(h *dto.Histogram) uint64 {
	count, sum := int64(0), int64(h.GetZeroCount())
	for _, delta := range h.PositiveDelta {
		count += delta
		sum += count
	}
	return uint64(sum)
}
