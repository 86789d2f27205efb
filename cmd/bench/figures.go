package main

import (
	"errors"
	"fmt"
	"time"
)

// figure is something that is stated of sonde, and what was measured.
type figure struct {
	what   string
	got    number
	most   number // what is stated: got is to be this at most
	form   string
	ratio  bool // to the bare loop, and so worth something on any machine
	spread string
}

func (f figure) holds() bool { return f.got <= f.most }

// caught is how many times the CPU of the bare loop is too much for --short. A probe that costs twice what it
// does is to be caught, which would be 1.3 times and more; what it does cost, 0.7 times on a quiet machine, was a
// quarter more on one at load 9.
const caught = 1.1

// worse is whether a ratio is so great that --short fails.
func (f figure) worse() bool { return f.got > caught }

// figuresTable sets what was measured beside what is stated.
func figuresTable(figures []figure) *table {
	t := &table{title: "What was measured beside what is stated", head: []string{"stated of sonde", "at most", "measured", "so it"}}
	for _, f := range figures {
		verdict, measured := "holds", f.spread
		switch {
		case !f.got.there():
			verdict, measured = "not measured", ""
		case !f.holds():
			verdict = "does not hold"
		}
		t.rows = append(t.rows, []string{f.what, fmt.Sprintf(f.form, float64(f.most)), measured, verdict})
	}
	return t
}

// judge is the end of --short.
func (b *bench) judge() error {
	if !b.short {
		return nil
	}
	measured := 0
	for _, f := range b.figures {
		if !f.ratio {
			continue
		}
		if f.got.there() {
			measured++
		}
		if f.worse() {
			return fmt.Errorf("%w: %s is %s, stated are %.2f at most", errWorse, f.what, f.spread, float64(f.most))
		}
	}
	if measured == 0 {
		return errors.New("no ratio could be measured")
	}
	return nil
}

// stated makes a figure of the numbers of all rounds.
func stated(what string, numbers []number, scale, most number, form string) figure {
	return figure{what: what, got: median(numbers) * scale, most: most, form: form, spread: cell(numbers, scale, form)}
}

// steadyFigures are those stated that a load and a pattern can show.
func steadyFigures(r *results, l load, p pattern) []figure {
	ours, theirs, exporter := r.samples["sonde"], r.samples[bare{}.name()], r.samples[blackboxName]
	if len(ours) == 0 {
		return nil
	}
	of := fmt.Sprintf("%s %s: ", l, p)
	var figures []figure
	if l.interval == time.Second && l.targets <= 5000 {
		f := stated(of+"CPU, ratio to the bare loop", ratios(ours, theirs, cpu), 1, map[pattern]number{fresh: .75, reused: .85}[p], "%.2f")
		f.ratio = true
		figures = append(figures, f)
	}
	if l == (load{1000, time.Second}) && p == fresh && len(exporter) > 0 {
		figures = append(figures, stated(of+"CPU, ratio to blackbox_exporter", ratios(ours, exporter, cpu), 1, .35, "%.2f"))
	}
	if l == (load{1000, time.Second}) {
		figures = append(figures, stated(of+"scrape, CPU ms", values(ours, func(s *sample) number { return s.scrapeCPU }), 1e3, 15, "%.0f"))
	}
	if l == (load{5000, time.Second}) {
		figures = append(figures, atFiveThousand(of, ours, theirs, p)...)
	}
	if l == (load{100000, time.Minute}) {
		figures = append(figures,
			stated(of+"memory at rest, MiB", values(ours, func(s *sample) number { return s.rest }), 1./mega, 400, "%.0f"),
			stated(of+"own lag p99, ms", values(ours, func(s *sample) number { return s.lag.P99 }), 1e3, 10, "%.1f"))
	}
	return figures
}

func atFiveThousand(of string, ours, theirs []*sample, p pattern) []figure {
	memory := map[pattern]number{fresh: 120, reused: 150}[p]
	longer := values(ours, func(s *sample) number { return s.duration })
	for i, d := range values(theirs, func(s *sample) number { return s.duration }) {
		if i < len(longer) {
			longer[i] -= d
		}
	}
	figures := []figure{
		stated(of+"median attempt, ms above the bare loop's", longer, 1e3, .4, "%.2f"),
		stated(of+"memory at rest, MiB", values(ours, func(s *sample) number { return s.rest }), 1./mega, memory, "%.0f"),
	}
	if p == fresh {
		figures = append(figures,
			stated(of+"false failures", values(ours, func(s *sample) number { return s.failures }), 1, 0, "%.0f"),
			stated(of+"gap p99, s", values(ours, func(s *sample) number { return s.gap.P99 }), 1, 1.02, "%.3f"))
	}
	return figures
}

func scrapedFigures(r *results, l load) []figure {
	p99 := func(s *sample) number { return s.late.P99 }
	later := values(r.samples["scraped"], p99)
	for i, d := range values(r.samples["not scraped"], p99) {
		later[i] -= d
	}
	return []figure{stated(fmt.Sprintf("%s scraped every %s: lateness p99, ms more", l, scrapeEvery), later, 1e3, 2, "%.1f")}
}

func startFigures(r *results, l load) []figure {
	if l.targets < 100000 {
		return nil
	}
	return []figure{stated(fmt.Sprintf("%s: start to first probe, s", l), values(r.samples["sonde"], func(s *sample) number { return s.first }), 1, 3, "%.2f")}
}

func reloadFigures(_ *results, l load, one []number) []figure {
	return []figure{stated(fmt.Sprintf("%s: reload of one changed probe, s", l), one, 1, 1, "%.2f")}
}

func overloadFigures(r *results, l load, p pattern) []figure {
	ours := r.samples["sonde"]
	if len(ours) == 0 {
		return nil
	}
	return []figure{stated(fmt.Sprintf("%s %s, twice the CPU: falsely down", l, p), values(ours, func(s *sample) number { return s.down }), 1, 0, "%.0f")}
}
