package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sonde/probe"
)

// look is how a verdict is shown beside its word: by a shape, the same as on the page, and by a colour.
type look struct{ shape, colour string }

var looks = map[probe.Verdict]look{
	probe.Down:    {"■", "\x1b[1;31m"},
	probe.Unknown: {"?", "\x1b[35m"},
	probe.Flaky:   {"◆", "\x1b[33m"},
	probe.Up:      {"●", "\x1b[32m"},
}

// verdictWidth fits the shape, a blank and the longest verdict.
const verdictWidth = len("? unknown")

// table prints results for a person: worst first, a row each, and what went wrong below it.
type table struct {
	width  int
	colour bool
	name   int // columns of the names
}

// row is one result in words.
type row struct {
	verdict                        probe.Verdict
	name, attempts, took, why, how string
}

// print prints the results and a closing line that counts them; took is how long all of it lasted.
func (t table) print(w io.Writer, results []*probe.Result, took time.Duration) error {
	rows := rowsOf(results)
	t.fit(rows)
	var b strings.Builder
	if len(rows) == 0 {
		_, err := fmt.Fprintln(w, "no results")
		return err
	}
	t.line(&b, "VERDICT", "PROBE", "TRIES", "TOOK", "REASON")
	for _, r := range rows {
		t.line(&b, t.verdict(r.verdict), r.name, r.attempts, r.took, r.why)
		for _, line := range wrap(r.how, t.width-verdictWidth-2, 3) {
			fmt.Fprintf(&b, "%*s%s\n", verdictWidth+2, "", line)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", summary(results, took))
	_, err := io.WriteString(w, b.String())
	return err
}

// rowsOf puts the worst first; of one verdict, the order is that of the file.
func rowsOf(results []*probe.Result) []row {
	worst := probe.Verdicts()
	sorted := slices.Clone(results)
	slices.SortStableFunc(sorted, func(a, b *probe.Result) int {
		return cmp.Compare(slices.Index(worst, a.Verdict), slices.Index(worst, b.Verdict))
	})
	rows := make([]row, len(sorted))
	for i, r := range sorted {
		rows[i] = rowOf(r)
	}
	return rows
}

func rowOf(r *probe.Result) row {
	w := row{
		verdict: r.Verdict, name: clean(r.Probe.Name), took: short(r.Duration), why: string(r.Reason),
		attempts: fmt.Sprintf("%d/%d", r.Charged(), max(1, r.Probe.Policy.Attempts)),
	}
	switch {
	case r.Err != nil:
		w.how = fmt.Sprintf("%s (stop: %s)", errorText(r.Err), r.Stop)
	case r.Verdict == probe.Flaky:
		if a := firstFailure(r); a != nil {
			w.why, w.how = string(a.Reason), fmt.Sprintf("passed, but attempt %d did not: %s", a.Number, errorText(a.Err))
		}
	}
	return w
}

// fit gives the names what the other columns leave.
func (t *table) fit(rows []row) {
	others := verdictWidth + len("  ") + len("  100/100") + len("  59m59s") + len("  limit_sock_connect")
	t.name = len("PROBE")
	for _, r := range rows {
		t.name = max(t.name, utf8.RuneCountInString(r.name))
	}
	t.name = min(t.name, t.width-others)
}

// line prints the columns. A name too long for its column stands alone on its line, for a name that is
// cut cannot be copied.
func (t *table) line(b *strings.Builder, verdict, name, attempts, took, why string) {
	if utf8.RuneCountInString(name) > t.name {
		fmt.Fprintf(b, "%s  %s\n", pad(verdict, verdictWidth), name)
		verdict, name = "", ""
	}
	text := fmt.Sprintf("%s  %s  %7s  %6s  %s", pad(verdict, verdictWidth), pad(name, t.name), attempts, took, why)
	b.WriteString(strings.TrimRight(text, " ") + "\n")
}

// verdict is a verdict with its shape, coloured and padded where colours are on.
func (t *table) verdict(v probe.Verdict) string {
	text := looks[v].shape + " " + string(v)
	if !t.colour {
		return text
	}
	return looks[v].colour + pad(text, verdictWidth) + "\x1b[0m"
}

// pad fills up with blanks to n columns. Colours take no column; a coloured text is padded already.
func pad(s string, n int) string {
	if strings.HasPrefix(s, "\x1b") {
		return s
	}
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}

// summary is "4 probes: 1 down, 1 flaky, 2 up in 8.3s".
func summary(results []*probe.Result, took time.Duration) string {
	n := tallyOf(results)
	var parts []string
	for _, v := range probe.Verdicts() {
		if n[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[v], v))
		}
	}
	return fmt.Sprintf("%s: %s in %s", count(len(results), "probe"), strings.Join(parts, ", "), short(took))
}

// short is a duration in at most six columns: 0.4ms, 812ms, 8.2s, 1m03s, 59m59s, 23h59m.
func short(d time.Duration) string {
	switch {
	case d <= 0:
		return "0s"
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1fms", float64(d)/1e6)
	case d < 999500*time.Microsecond:
		return fmt.Sprintf("%.0fms", float64(d)/1e6)
	case d < 59950*time.Millisecond:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}
