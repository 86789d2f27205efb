package main

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sonde/probe/plan"
	"sonde/probe/retry"
)

func TestNumbersOfAPlan(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", time.Minute: "1m", 24 * time.Hour: "24h", 90 * time.Minute: "1h30m", 60500 * time.Millisecond: "1m0.5s",
		3*time.Second + 400*time.Microsecond: "3s", 10 * time.Second: "10s", 250 * time.Microsecond: "250µs", time.Hour + time.Second: "1h0m1s",
	} {
		if got := exact(d); got != want {
			t.Errorf("exact(%d ns) is %q, want %q", d, got, want)
		}
	}
	for n, want := range map[float64]string{
		0: "0", 1: "1", 41.8: "41.8", 0.1 + 0.2: "0.3", 1. / 1440: "<0.001", 12345.6: "12346", -2.5: "-2.5", 999.96: "1000",
	} {
		if got := rate(n); got != want {
			t.Errorf("rate(%v) is %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 4096: "4 KiB", 9 << 10: "9 KiB", 20 << 10: "20 KiB", 400 << 20: "400 MiB", 40 << 30: "40 GiB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) is %q, want %q", n, got, want)
		}
	}
}

// TestTimelinesFit holds that no line of a drawing is wider than asked, and that each step has a bar
// within the room.
func TestTimelinesFit(t *testing.T) {
	t.Parallel()
	const s = time.Second
	lines := map[string]plan.Timeline{
		"short and long": {Duration: 1000 * s, Steps: []plan.Step{
			{Kind: plan.StepAttempt, Number: 1, Duration: time.Millisecond},
			{Kind: plan.StepWait, Number: 1, Start: time.Millisecond, Duration: 1000*s - 2*time.Millisecond, Source: retry.FromRetryAfter},
			{Kind: plan.StepAttempt, Number: 2, Start: 1000*s - time.Millisecond, Duration: time.Millisecond},
		}},
		"nothing at the end": {Duration: 5 * s, Steps: []plan.Step{
			{Kind: plan.StepAttempt, Number: 1, Duration: 5 * s}, {Kind: plan.StepResend, Number: 1, Start: 5 * s, Cut: true},
		}},
		"no time at all": {Steps: []plan.Step{{Kind: plan.StepAttempt, Number: 1}}},
		"no end": {Unbounded: true, Duration: 31 * s, Steps: []plan.Step{
			{Kind: plan.StepAttempt, Number: 1, Duration: 30 * s}, {Kind: plan.StepWait, Number: 1, Start: 30 * s, Duration: s},
			{Kind: plan.StepAttempt, Number: 2, Start: 31 * s, Unbounded: true},
		}},
		"no end from the beginning": {Unbounded: true, Steps: []plan.Step{{Kind: plan.StepAttempt, Number: 100, Unbounded: true}}},
	}
	for name, line := range lines {
		for _, width := range []int{60, 80, 120} {
			var b strings.Builder
			drawing{width}.print(&b, &line)
			drawn := 0
			for text := range strings.Lines(b.String()) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(text, "\n")); n > width {
					t.Errorf("%s: %d columns, want at most %d:\n%s", name, n, width, text)
				}
				if strings.ContainsAny(text, "█▓·") {
					drawn++
				}
			}
			if drawn != len(line.Steps) {
				t.Errorf("%s: %d of %d steps have a bar:\n%s", name, drawn, len(line.Steps), b.String())
			}
		}
	}
}

// TestGridGivesALongNameItsOwnLine, and keeps to the width with all others.
func TestGridGivesALongNameItsOwnLine(t *testing.T) {
	t.Parallel()
	g := grid{width: 30, head: []string{"NAME", "N", ""}}
	g.add("short", "1", "remark")
	g.add(strings.Repeat("long-", 6), "12", "")
	var b strings.Builder
	g.print(&b)
	want := "NAME                 N\nshort                1  remark\nlong-long-long-long-long-long-\n                    12\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
