package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// steady is the comparison: each contender in its stride, at each load, in each pattern.
func (b *bench) steady(ctx context.Context) error {
	for _, l := range b.loads {
		for _, p := range b.patterns {
			r, err := b.compare(ctx, fmt.Sprintf("steady %s %s", l, p), b.roundsOf(l), b.ableTo(l), func(c contender) (*sample, error) {
				return b.steadySample(ctx, c, l, p)
			})
			if err != nil {
				return err
			}
			b.print(b.steadyTable(r, l, p))
			b.summary.add(r, l, p)
			b.figures = append(b.figures, steadyFigures(r, l, p)...)
		}
	}
	return nil
}

// mostForAll is up to how many endpoints all contenders are measured. What more would show of a
// blackbox_exporter, which does not keep up with 5,000 a second, or of another policy of sonde, is not worth
// the time.
const mostForAll = 5000

// ableTo are the contenders at a load.
func (b *bench) ableTo(l load) []contender {
	if l.targets <= mostForAll {
		return b.contenders
	}
	return slices.DeleteFunc(slices.Clone(b.contenders), func(c contender) bool {
		s, ours := c.(sonde)
		return c.name() == blackboxName || ours && s.attempts == 0
	})
}

func (b *bench) steadySample(ctx context.Context, c contender, l load, p pattern) (*sample, error) {
	st, err := b.set(ctx, c, l, p, false)
	if err != nil {
		return nil, err
	}
	defer st.strike()
	if err := b.warm(ctx, l); err != nil {
		return nil, err
	}
	return st.measure(ctx, b.window(l))
}

func (b *bench) steadyTable(r *results, l load, p pattern) *table {
	t := &table{
		title: fmt.Sprintf("%d endpoints every %s, %s connections (%d rounds of %s)", l.targets, l.interval, p, b.roundsOf(l), b.window(l)),
		head:  r.head(),
		notes: r.notes(b.absent),
	}
	t.rows = r.rowsOf(paceRows, costRows[:1])
	for _, to := range []string{bare{}.name(), blackboxName} {
		if slices.Contains(r.names, to) {
			t.rows = appendUnlessEmpty(t.rows, r.ratioRow(to))
		}
	}
	t.rows = append(t.rows, r.rowsOf(costRows[1:], punctualRows, truthRows, scrapeRows, startRows)...)
	return t
}

// scrapeEvery is how often Prometheus reads the metrics in the case scraped.
const scrapeEvery = 5 * time.Second

// scraped measures whether probing notices that the metrics are read.
func (b *bench) scraped(ctx context.Context) error {
	l := load{20000, 10 * time.Second}
	if len(b.loads) == 1 {
		l = b.loads[0]
	}
	if b.sondeOf(1) == nil {
		return nil
	}
	var quiet []*sample
	r, err := b.compare(ctx, fmt.Sprintf("scraped %s", l), b.roundsOf(l), []contender{b.sondeOf(1)}, func(c contender) (*sample, error) {
		before, after, err := b.scrapedSamples(ctx, c, l)
		quiet = append(quiet, before)
		return after, err
	})
	if err != nil {
		return err
	}
	name := r.names[0]
	r.names = []string{"not scraped", "scraped"}
	r.samples["not scraped"], r.samples["scraped"] = quiet, r.samples[name]
	b.print(&table{
		title: fmt.Sprintf("sonde scraped every %s: %d endpoints every %s, fresh connections", scrapeEvery, l.targets, l.interval),
		head:  r.head(), notes: r.notes(nil),
		rows: r.rowsOf(paceRows, costRows, punctualRows, truthRows, scrapedRows, scrapeRows),
	})
	b.figures = append(b.figures, scrapedFigures(r, l)...)
	return nil
}

// scrapedSamples measures a window without scrapes, and one with.
func (b *bench) scrapedSamples(ctx context.Context, c contender, l load) (before, after *sample, err error) {
	st, err := b.set(ctx, c, l, fresh, false)
	if err != nil {
		return nil, nil, err
	}
	defer st.strike()
	if err := b.warm(ctx, l); err != nil {
		return nil, nil, err
	}
	if before, err = st.measure(ctx, b.window(l)); err != nil {
		return nil, nil, err
	}
	scraping, stop := context.WithCancel(ctx)
	defer stop()
	counted := make(chan scrapeCount, 1)
	go func() { counted <- st.running.(*sondeRunning).scrapeOften(scraping, scrapeEvery) }()
	after, err = st.measure(ctx, max(b.window(l), 2*scrapeEvery))
	stop()
	if n := <-counted; after != nil {
		after.scrapes, after.unscraped = n.ended, n.failed
	}
	return before, after, err
}

// scrapeCount is how many scrapes have ended, and how many of them with an error.
type scrapeCount struct{ ended, failed number }

// scrapeOften scrapes until ctx ends. A scrape that fails is said and counted; one that the end of ctx
// cuts counts as nothing.
func (r *sondeRunning) scrapeOften(ctx context.Context, every time.Duration) (n scrapeCount) {
	for {
		_, err := r.drain(ctx)
		switch {
		case ctx.Err() != nil:
			return n
		case err != nil:
			say("%v", err)
			n.failed++
		}
		n.ended++
		if pause(ctx, every) != nil {
			return n
		}
	}
}
