package main

import (
	"fmt"
	"slices"
	"strings"
)

// measure is a row of a table: something of a sample, and how it is written.
type measure struct {
	name  string
	of    func(*sample) number
	scale number
	form  string
}

const mega = 1 << 20

// The rows of each case. What nobody has measured is left out.
var (
	paceRows = []measure{
		{"probes a second, done", func(s *sample) number { return s.done }, 1, "%.0f"},
		{"probes a second, scheduled", func(s *sample) number { return s.scheduled }, 1, "%.0f"},
		{"connections a probe", func(s *sample) number { return s.connections }, 1, "%.2f"},
	}
	costRows = []measure{
		{"CPU a probe, µs", cpu, 1e6, "%.0f"},
		{"memory at rest, MiB", func(s *sample) number { return s.rest }, 1. / mega, "%.0f"},
		{"memory at most, MiB", func(s *sample) number { return s.peak }, 1. / mega, "%.0f"},
	}
	punctualRows = []measure{
		{"lateness p50, ms", func(s *sample) number { return s.late.P50 }, 1e3, "%.2f"},
		{"lateness p99, ms", func(s *sample) number { return s.late.P99 }, 1e3, "%.2f"},
		{"lateness max, ms", func(s *sample) number { return s.late.Max }, 1e3, "%.1f"},
		{"own lag p50, ms", func(s *sample) number { return s.lag.P50 }, 1e3, "%.2f"},
		{"own lag p99, ms", func(s *sample) number { return s.lag.P99 }, 1e3, "%.2f"},
		{"own lag max, ms", func(s *sample) number { return s.lag.Max }, 1e3, "%.1f"},
		{"gap p99, s", func(s *sample) number { return s.gap.P99 }, 1, "%.3f"},
		{"gap max, s", func(s *sample) number { return s.gap.Max }, 1, "%.3f"},
	}
	truthRows = []measure{
		{"attempt, median, ms", func(s *sample) number { return s.duration }, 1e3, "%.2f"},
		{"false failures", func(s *sample) number { return s.failures }, 1, "%.0f"},
		{"falsely down", func(s *sample) number { return s.down }, 1, "%.0f"},
		{"unknown", func(s *sample) number { return s.unknown }, 1, "%.0f"},
		{"skipped or missed", func(s *sample) number { return s.skipped }, 1, "%.0f"},
	}
	scrapeRows = []measure{
		{"scrape, MiB", func(s *sample) number { return s.scrapeBytes }, 1. / mega, "%.2f"},
		{"scrape, ms", func(s *sample) number { return s.scrapeTime }, 1e3, "%.0f"},
		{"scrape, CPU ms", func(s *sample) number { return s.scrapeCPU }, 1e3, "%.0f"},
	}
	scrapedRows = []measure{
		{"scrapes meanwhile", func(s *sample) number { return s.scrapes }, 1, "%.0f"},
		{"scrapes that failed", func(s *sample) number { return s.unscraped }, 1, "%.0f"},
	}
	startRows = []measure{
		{"start to ready, s", func(s *sample) number { return s.ready }, 1, "%.2f"},
		{"CPU until ready, s", func(s *sample) number { return s.startCPU }, 1, "%.2f"},
		{"start to first probe, s", func(s *sample) number { return s.first }, 1, "%.2f"},
		{"targets probed, %", func(s *sample) number { return s.seen }, 100, "%.1f"},
	}
)

func cpu(s *sample) number { return s.cpu }

// explained says what the rows mean.
const explained = "Lateness and gaps are as the server sees them: when a request comes after its target is due, and after the request before. " +
	"Own lag is what a prober says of itself, from its start on; of sonde it is read from a histogram whose buckets begin at 1 ms, and its max is a bucket's bound. " +
	"Memory at most includes scrapes. Cells are medians over the rounds (least..most)."

// values is a measure of each round of one contender.
func values(samples []*sample, of func(*sample) number) []number {
	var all []number
	for _, s := range samples {
		if s == nil {
			all = append(all, nothing)
		} else {
			all = append(all, of(s))
		}
	}
	return all
}

// ratios is what a contender needs of a measure, to what another needs in the same round.
func ratios(samples, to []*sample, of func(*sample) number) []number {
	a, b := values(samples, of), values(to, of)
	var all []number
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			all = append(all, a[i]/b[i])
		}
	}
	return all
}

// cell is the median of numbers and their spread.
func cell(numbers []number, scale number, form string) string {
	there := present(numbers)
	if len(there) == 0 {
		return ""
	}
	text := func(n number) string { return fmt.Sprintf(form, float64(n*scale)) }
	low, high := text(there[0]), text(there[len(there)-1])
	if low == high {
		return low
	}
	return fmt.Sprintf("%s (%s..%s)", text(median(there)), low, high)
}

// head is the head of a table with a column for each contender.
func (r *results) head() []string { return append([]string{"measured"}, r.names...) }

// rowsOf makes a row of each measure that somebody has.
func (r *results) rowsOf(groups ...[]measure) [][]string {
	var rows [][]string
	for _, group := range groups {
		for _, m := range group {
			row := []string{m.name}
			for _, name := range r.names {
				row = append(row, cell(values(r.samples[name], m.of), m.scale, m.form))
			}
			rows = appendUnlessEmpty(rows, row)
		}
	}
	return rows
}

// ratioRow is the row of ratios of CPU a probe to one contender's.
func (r *results) ratioRow(to string) []string {
	row := []string{"CPU, ratio to the " + to}
	for _, name := range r.names {
		text := ""
		if name != to {
			text = cell(ratios(r.samples[name], r.samples[to], cpu), 1, "%.2f")
		}
		row = append(row, text)
	}
	return row
}

func appendUnlessEmpty(rows [][]string, row []string) [][]string {
	if strings.Join(row[1:], "") == "" {
		return rows
	}
	return append(rows, row)
}

// notes are the failures by reason, and the contenders that were not measured, and why.
func (r *results) notes(absent []string) []string {
	var notes []string
	for _, name := range r.names {
		for i, s := range r.samples[name] {
			if s != nil && s.reasons != "" {
				notes = append(notes, fmt.Sprintf("%s, round %d: %s", name, i+1, s.reasons))
			}
		}
		if s := r.samples[name]; len(s) > 0 && !slices.ContainsFunc(s, func(s *sample) bool { return s != nil && s.keepsUp() }) {
			notes = append(notes, name+" does not keep up here: what it costs and how late it is say little")
		}
		if err := r.errors[name]; err != nil {
			notes = append(notes, name+": "+err.Error())
		}
	}
	for _, name := range absent {
		notes = append(notes, name+": not installed")
	}
	return notes
}
