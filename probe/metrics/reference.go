package metrics

import (
	"fmt"
	"strconv"
	"strings"

	"sonde/probe"
	"sonde/probe/retry"
)

// Reference is the page METRICS.md, made from the table of metrics and the sets of label values.
func Reference() string {
	var b strings.Builder
	b.WriteString(preface)
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n%s| metric | type | labels | exists from | meaning |\n| --- | --- | --- | --- | --- |\n", s.title, s.text)
		for _, f := range s.families {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", f.Name, f.Type, f.labels(), f.Since, f.meaning())
		}
	}
	labelValues(&b)
	return b.String()
}

var preface = `<!-- DO NOT EDIT: made by cmd/gendocs from the table in probe/metrics. go generate ./... mends it. -->

# Metrics

What ` + "`/metrics`" + ` exports, beside ` + "`go_*`, `process_*` and `promhttp_*`" + `.

The label ` + "`probe`" + ` is the configured name; the labels that the file gives a probe follow it, on the series of
that probe only. A changed probe keeps its counters; a removed one takes its series with it.

Histograms are classic and native in one: the text form and OpenMetrics carry the classic buckets, protobuf
both. Prometheus asks for native ones with ` + "`scrape_native_histograms: true`" + `. Native buckets grow by 2^(1/8);
more than ` + strconv.Itoa(maxBuckets) + ` populated ones in a series halve its resolution.

## Fewer series

` + "`metrics`" + `, at the top level of a file, in a profile or in a probe, leaves some out. ` + "`sonde plan`" + ` says how many are left.

| setting | what becomes of it |
| --- | --- |
| ` + "`histograms: classic`" + ` | the native buckets are left out |
| ` + "`histograms: native`" + ` | the classic buckets are left out. One series a histogram for a Prometheus that asks for native ones; in the text forms three: the bucket of everything, the sum and the count |
| ` + "`histograms: off`" + ` | there are no histograms, and no memory is kept for them |
| ` + "`reasons: false`" + ` | what is counted by ` + "`reason`" + ` is one series a probe, without the labels ` + "`reason`" + ` and ` + "`stop`" + `, from the first scrape on: ` + "`sum by (probe) (…)`" + ` goes on working, and nothing new appears during an outage |
| ` + "`probe_gauges: false`" + ` | ` + "`probe_success`" + ` and all else under blackbox_exporter's names is left out. Alert on ` + "`sonde_verdict`" + ` then, and know a missing probe by ` + "`sonde_last_run_timestamp_seconds`" + ` |

A reload that changes these keeps the counters. A histogram that gets buckets which it had not begins at 0, as after a
restart; one that loses some keeps its counts. The gauges come back with the next run.

## Parts

The query of ` + "`/metrics`" + ` asks for some of the series, so that one process can be several scrape jobs, each at its own
interval and with its own limits:

| query | what it asks for |
| --- | --- |
| ` + "`?group=shop`" + ` | the probes of this group; ` + "`?group=`" + ` those of none |
| ` + "`?probe=shop-home`" + ` | this probe |
| ` + "`?process`" + ` | what belongs to no probe: the scheduler, the configuration, ` + "`go_*`" + ` and ` + "`process_*`" + ` |
| ` + "`?name[]=probe_success`" + ` | of what the others ask for, this family |

Each may be repeated, and they add up, but for ` + "`name[]`" + `. A part without ` + "`process`" + ` has nothing that belongs to no probe, so that no
series is there twice. Any other key is answered with 400, for a mistyped part would else be the whole. When there is none of the probes and groups that are asked for, the answer is 404: a misspelt name makes ` + "`up`" + ` 0
instead of going unseen. With ` + "`--shard`" + ` it says who runs a probe that is another shard's. Of several names those that are not there are left out, so that a probe which is taken away takes no
other with it.
`

var sections = []struct {
	title, text string
	families    []Family
}{
	{"Runs", "", runFamilies},
	{"Attempts", "", attemptFamilies},
	{"State", "", stateFamilies},
	{"The process", "", processFamilies},
	{"The last run, under blackbox_exporter's names", lastRun, targetFamilies},
}

const lastRun = `Rules and dashboards made for blackbox_exporter go on working with these, but for what they say of ` + "`instance`" + `:
there it is what is probed; here it is the sonde that probes, and ` + "`probe`" + ` is what to group by. The lines at the end of
[prometheus.yml](../../examples/prometheus/prometheus.yml) make it the probe's name as they are scraped, and
` + "`sonde_probe_info`" + ` has the ` + "`target`" + `. A run whose verdict is unknown leaves them as they were, so that a prober that
sees nothing turns no alert off: alert on ` + "`sonde_verdict{verdict=\"unknown\"}`" + ` beside ` + "`probe_success`" + `. A value that
the last run did not show has no series.

Not there are ` + "`probe_failed_due_to_regex`" + ` (it is ` + "`reason=\"assertion\"`" + ` of ` + "`sonde_attempt_failures_total`" + `),
` + "`probe_failed_due_to_cel`, `probe_expect_info`, `probe_ip_addr_hash`, `probe_ssl_last_chain_info`, `probe_tls_cipher_info`" + `
and those of the kinds that sonde has not, such as ` + "`probe_icmp_duration_seconds`" + `.

`

func (f *Family) labels() string {
	var names []string
	if f.PerProbe {
		names = append(names, labelProbe)
	}
	names = append(names, f.Labels...)
	if len(names) == 0 {
		return "–"
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

// meaning is the help, but for what the lead of its section says of all.
func (f *Family) meaning() string {
	if len(f.Bounds) == 0 {
		return strings.TrimSuffix(f.Help, kept) + "."
	}
	var bounds []string
	for _, b := range f.Bounds {
		bounds = append(bounds, strconv.FormatFloat(b, 'g', -1, 64))
	}
	return f.Help + ". Classic buckets: " + strings.Join(bounds, ", ") + "."
}

// labelValues writes the closed sets.
func labelValues(b *strings.Builder) {
	b.WriteString("\n## Label values\n\nThese sets are closed: no label takes another value.\n\n| label | values |\n| --- | --- |\n")
	row := func(label string, values []string) {
		fmt.Fprintf(b, "| `%s` | `%s` |\n", label, strings.Join(values, "`, `"))
	}
	row("verdict", texts(probe.Verdicts()))
	row("stop", texts(failedStops()))
	row("source", texts(sources[:]))
	row("cause", texts(skips[:]))
	row("phase", phases[:])
	b.WriteString("\n| reason | transient by default | fault of | meaning |\n| --- | --- | --- | --- |\n")
	for _, r := range probe.Reasons() {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", r.Reason, yes(r.Transient), faultOf[r.Blame], r.Help)
	}
}

// failedStops are the stops with which a run can end as down.
func failedStops() []retry.Stop {
	var list []retry.Stop
	for _, s := range stops {
		if s != retry.StopSuccess && s != retry.StopCanceled {
			list = append(list, s)
		}
	}
	return list
}

var faultOf = map[probe.Blame]string{probe.OfTarget: "the target", probe.Ours: "ours", probe.OfEnd: "the run's end"}

func texts[T ~string](list []T) []string {
	var texts []string
	for _, v := range list {
		texts = append(texts, string(v))
	}
	return texts
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
