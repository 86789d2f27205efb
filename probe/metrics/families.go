package metrics

import (
	"slices"

	"github.com/prometheus/common/model"
)

// Type is the type of a metric family.
type Type string

// The types of families.
const (
	Counter   Type = "counter"
	Gauge     Type = "gauge"
	Histogram Type = "histogram"
)

// Family is one row of the table of metrics.
type Family struct {
	Name string
	Type Type
	// PerProbe is true when the family's series bear the label probe and the probe's own labels.
	PerProbe bool
	// Labels are the family's labels beside those, in the order of the reference.
	Labels []string
	// Help is one sentence, without a full stop.
	Help string
	// Since says from when on a series exists.
	Since string
	// Bounds are the upper bounds of a histogram's classic buckets, in seconds.
	Bounds []float64

	// read hands the values of one probe to out, readProcess those of the process; one of them is nil.
	read        func(s *snapshot, out values)
	readProcess func(p *processSnapshot, out values)
}

// values takes the values of a family's series. What renders them is one of these.
type values interface {
	// value takes a counter or a gauge, with the values of the family's labels in their order, or with
	// none of them, and then the series does not bear them.
	value(v float64, labels ...string)
	// histogram takes a histogram. The distribution may not be changed any more.
	histogram(d *distribution)
}

// All is the table of metrics in the order of the reference; the collector, the reference page and the
// lint come from it, so that nothing is exported that is not in it.
func All() []Family { return slices.Clone(families) }

var families = slices.Concat(runFamilies, attemptFamilies, stateFamilies, processFamilies, targetFamilies)

var (
	runBounds     = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}
	attemptBounds = runBounds[:12] // to 30
	lagBounds     = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}
)

// When a series exists.
const (
	always      = "the probe is declared"
	onEvent     = "the first such event"
	onRun       = "the first run"
	onKnownRun  = "the first run that is not unknown"
	onSuccess   = "the first run that passed"
	onStart     = "the start"
	onShard     = "the start, with --shard"
	onWeb       = "the start, with --web.config.file"
	onLoad      = "the first load of the file"
	onGoodLoad  = "the first successful load"
	whenSeen    = "a last run that showed it"
	whenHTTP    = "the first run that is not unknown (http)"
	whenHTTPHas = "a last run whose response has it"
)

var runFamilies = []Family{
	{Name: "sonde_runs_total", Type: Counter, PerProbe: true, Since: always, read: counted(runs),
		Help: "Ended runs that say something of the target: those whose verdict is not unknown"},
	{Name: "sonde_run_failures_total", Type: Counter, PerProbe: true, Since: always, read: counted(runFailures),
		Help: "Runs with verdict down"},
	{Name: "sonde_runs_flaky_total", Type: Counter, PerProbe: true, Since: always, read: counted(runsFlaky),
		Help: "Runs with verdict flaky: passed, but only after an attempt failed for a reason that is the target's"},
	{Name: "sonde_runs_unknown_total", Type: Counter, PerProbe: true, Since: always, read: counted(runsUnknown),
		Help: "Runs with verdict unknown: canceled, or ended by a fault that is ours"},
	{Name: "sonde_failures_total", Type: Counter, PerProbe: true, Since: onEvent, Labels: []string{"reason", "stop"}, read: byReason(ofRuns),
		Help: "Runs with verdict down, by the reason of the failure and by why no other attempt followed"},
	{Name: "sonde_run_duration_seconds", Type: Histogram, PerProbe: true, Since: always, Bounds: runBounds,
		read: func(s *snapshot, out values) { timed(&s.runTime, out) },
		Help: "How long runs took, waits between attempts included; unknown runs are left out"},
	{Name: "sonde_runs_skipped_total", Type: Counter, PerProbe: true, Since: always, Labels: []string{"cause"}, read: skipped,
		Help: "Due runs that did not start: the last one was still going, no slot was free until the next was due, or the clock jumped"},
}

var attemptFamilies = []Family{
	{Name: "sonde_attempts_total", Type: Counter, PerProbe: true, Since: always, read: counted(attempts),
		Help: "Attempts made, transparent ones not counted"},
	{Name: "sonde_attempt_failures_total", Type: Counter, PerProbe: true, Since: onEvent, Labels: []string{"reason"}, read: byReason(ofAttempts),
		Help: "Failed attempts; transparent and canceled ones are left out"},
	{Name: "sonde_retries_total", Type: Counter, PerProbe: true, Since: onEvent, Labels: []string{"reason"}, read: byReason(ofRetries),
		Help: "Attempts after the first of a run, by the reason of the failure before"},
	{Name: "sonde_transparent_resends_total", Type: Counter, PerProbe: true, Since: always, read: counted(resends),
		Help: "Attempts that a connection library would have made unseen: at once and on a fresh connection, after a kept one had gone stale or the peer had refused the request unprocessed"},
	{Name: "sonde_ambiguous_resends_total", Type: Counter, PerProbe: true, Since: always, read: counted(ambiguous),
		Help: "Retries of a request that was sent but not answered and is neither idempotent nor keyed, so that the target may have processed it twice"},
	{Name: "sonde_retry_wait_seconds_total", Type: Counter, PerProbe: true, Since: always, Labels: []string{"source"}, read: waited,
		Help: "Time really spent waiting between attempts, by what asked for the wait"},
	{Name: "sonde_budget_denied_total", Type: Counter, PerProbe: true, Since: always, read: counted(denied),
		Help: "Retries that the retry budget of the host refused"},
	{Name: "sonde_attempt_duration_seconds", Type: Histogram, PerProbe: true, Since: always, Bounds: attemptBounds,
		read: func(s *snapshot, out values) { timed(&s.attemptTime, out) },
		Help: "How long attempts took, failed and transparent ones included, canceled ones left out: latency free of waits"},
}

var stateFamilies = []Family{
	{Name: "sonde_verdict", Type: Gauge, PerProbe: true, Since: onRun, Labels: []string{"verdict"}, read: verdict,
		Help: "1 for the verdict of the last run, 0 for the others; unknown also when the run was canceled"},
	{Name: "sonde_last_run_timestamp_seconds", Type: Gauge, PerProbe: true, Since: onRun,
		read: func(s *snapshot, out values) { instant(s.lastRun, out) },
		Help: "When the last run ended, whatever its verdict, in seconds since 1970"},
	{Name: "sonde_last_success_timestamp_seconds", Type: Gauge, PerProbe: true, Since: onSuccess,
		read: func(s *snapshot, out values) { instant(s.lastSuccess, out) },
		Help: "When the last run that passed ended, flaky included, in seconds since 1970"},
	{Name: "sonde_probe_info", Type: Gauge, PerProbe: true, Since: always, Labels: []string{"kind", "group", "target", "interval"}, read: info,
		Help: "What a probe is, its target redacted; always 1"},
}

func counted(c counter) func(*snapshot, values) {
	return func(s *snapshot, out values) { out.value(float64(s.counters[c])) }
}

func byReason(what tallied) func(*snapshot, values) {
	return func(s *snapshot, out values) { s.byReason(what, out) }
}

// timed hands out a histogram, unless the probe is to have none.
func timed(d *distribution, out values) {
	if d.sides != 0 {
		out.histogram(d)
	}
}

var (
	skipLabels    = labelValuesOf(skips[:])
	sourceLabels  = labelValuesOf(sources[:])
	verdictLabels = labelValuesOf(verdicts)
)

func skipped(s *snapshot, out values) {
	for i, cause := range skipLabels {
		out.value(float64(s.counters[int(numCounters)+i]), cause...)
	}
}

func waited(s *snapshot, out values) {
	for i, source := range sourceLabels {
		out.value(s.waited[i].Seconds(), source...)
	}
}

func verdict(s *snapshot, out values) {
	if s.verdict == 0 {
		return
	}
	for i, v := range verdictLabels {
		is := 0.0
		if i+1 == s.verdict {
			is = 1
		}
		out.value(is, v...)
	}
}

// instant hands on nanoseconds since 1970 as seconds; 0 is never.
func instant(nanoseconds int64, out values) {
	if nanoseconds != 0 {
		out.value(float64(nanoseconds) / 1e9)
	}
}

func info(s *snapshot, out values) {
	p := s.probe
	out.value(1, p.Kind, p.Group, p.Target, model.Duration(p.Interval).String())
}
