package main

import (
	"errors"
	"fmt"
	"strings"
)

// summary is the one table that has all contenders at all loads: a row each, medians only but for what
// is compared.
type summary struct{ rows [][]string }

var summaryHead = []string{
	"load", "connections", "prober", "done of due, a second", "CPU a probe, µs", "× bare loop", "MiB at rest",
	"lateness p50 / p99 / max, ms", "gap p99, s", "attempt, ms", "false failures", "scrape, MiB / ms / CPU ms",
}

// add adds a comparison.
func (s *summary) add(r *results, l load, p pattern) {
	for _, name := range r.names {
		if why := (errMachine{}); errors.As(r.errors[name], &why) {
			s.rows = append(s.rows, []string{l.String(), string(p), name, why.text})
			continue
		}
		all, times := medians(r.samples[name]), ""
		if to := (bare{}).name(); name != to {
			times = cell(ratios(all, r.samples[to], cpu), 1, "%.2f")
		}
		s.rows = append(s.rows, []string{
			l.String(), string(p), name,
			all.text("%.0f", 1, func(s *sample) number { return s.done }, func(s *sample) number { return s.scheduled }),
			cell(values(all, cpu), 1e6, "%.0f"), times,
			all.text("%.0f", 1./mega, func(s *sample) number { return s.rest }),
			all.text("%.1f", 1e3, func(s *sample) number { return s.late.P50 }, func(s *sample) number { return s.late.P99 }, func(s *sample) number { return s.late.Max }),
			all.text("%.3f", 1, func(s *sample) number { return s.gap.P99 }),
			all.text("%.2f", 1e3, func(s *sample) number { return s.duration }),
			all.text("%.0f", 1, func(s *sample) number { return s.failures }),
			all.scrape(),
		})
	}
}

// medians are samples of which only medians are told.
type medians []*sample

// text is the medians of some measures that are there, in one cell.
func (m medians) text(form string, scale number, of ...func(*sample) number) string {
	var parts []string
	for _, f := range of {
		if n := median(values(m, f)); n.there() {
			parts = append(parts, fmt.Sprintf(form, float64(n*scale)))
		}
	}
	return strings.Join(parts, " / ")
}

// scrape is what a scrape is and costs, or "" where there is none.
func (m medians) scrape() string {
	size := m.text("%.1f", 1./mega, func(s *sample) number { return s.scrapeBytes })
	cost := m.text("%.0f", 1e3, func(s *sample) number { return s.scrapeTime }, func(s *sample) number { return s.scrapeCPU })
	return strings.Trim(size+" / "+cost, " /")
}

func (s *summary) table() *table {
	return &table{title: "All at a glance", head: summaryHead, rows: s.rows}
}
