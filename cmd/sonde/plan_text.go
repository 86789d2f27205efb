package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"sonde/probe/plan"
)

// planText prints a plan for a person.
type planText struct{ width int }

// print prints a row a probe, a row a host, and what it comes to.
func (x *planText) print(w io.Writer, p *plan.Plan) error {
	if len(p.Probes) == 0 {
		_, err := fmt.Fprintln(w, "no probes: nothing will be sent")
		return err
	}
	var b strings.Builder
	probes := grid{width: x.width, head: []string{"PROBE", "EVERY", "REQ/MIN", "AT WORST", "LONGEST RUN", "SERIES"}}
	for i := range p.Probes {
		one := &p.Probes[i]
		probes.add(clean(one.Probe.Name), exact(one.Probe.Interval), rate(one.Requests.Well), rate(one.Requests.Worst),
			longest(one), strconv.Itoa(one.Series.Steady))
	}
	probes.print(&b)
	b.WriteString("\n")
	hosts := grid{width: x.width, head: []string{"HOST", "PROBES", "REQ/MIN", "AT WORST", ""}}
	for _, h := range p.Hosts {
		hosts.add(clean(h.Shown), strconv.Itoa(h.Probes), rate(h.Requests.Well), rate(h.Requests.Worst), budgetMark(h))
	}
	hosts.print(&b)
	b.WriteString("\n" + planSummary(p))
	_, err := io.WriteString(w, b.String())
	return err
}

// longest is how long a run may last, marked when the next is due before.
func longest(p *plan.Probe) string {
	text := worstText(&p.Worst)
	if p.Overruns() {
		text += " !"
	}
	return text
}

// worstText is how long a run may last.
func worstText(t *plan.Timeline) string {
	if t.Unbounded {
		return "no end"
	}
	return exact(t.Duration)
}

// budgetMark says that a host is kept from worse.
func budgetMark(h plan.Host) string {
	if !h.Bound {
		return ""
	}
	return fmt.Sprintf("by its budget, and %s more once", rate(h.Budget.Burst))
}

// planSummary is what the plan comes to, and what its numbers do not say.
func planSummary(p *plan.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s: %s, at worst %s\n", count(len(p.Probes), "probe"), count(len(p.Hosts), "host"),
		requests(p.Requests.Well), rate(p.Requests.Worst))
	more := ""
	if p.Series.EachReason > 0 {
		more = ", and more for each reason with which a probe fails"
	}
	fmt.Fprintf(&b, "%d series%s; about %s of heap, kept connections apart\n", p.Series.Steady, more, size(p.Memory))
	over := 0
	for i := range p.Probes {
		if p.Probes[i].Overruns() {
			over++
		}
	}
	if over > 0 {
		fmt.Fprintf(&b, "! %s: a run may outlast the interval, and the next one is skipped while it goes on\n", count(over, "probe"))
	}
	if slices.ContainsFunc(p.Probes, func(one plan.Probe) bool { return one.Rate.Resends > 0 }) {
		b.WriteString("At worst is all attempts of each run and, of http probes, a resend after a kept connection died, which retry.transparent: 0 charges to the attempts.\n")
	}
	b.WriteString("Redirects are not counted: each that is followed is a request more.\n")
	return b.String()
}

// seriesText says how many series a probe has.
func seriesText(s plan.Series) string {
	if s.EachReason == 0 {
		return strconv.Itoa(s.Steady)
	}
	return fmt.Sprintf("%d, and %d for each reason with which it fails", s.Steady, s.EachReason)
}

// timelines prints the longest run of each probe, drawn.
func (x *planText) timelines(w io.Writer, probes []plan.Probe) error {
	var b strings.Builder
	for i := range probes {
		if i > 0 {
			b.WriteString("\n")
		}
		p := &probes[i]
		fmt.Fprintf(&b, "%s  %s %s every %s\n", clean(p.Probe.Name), p.Probe.Kind, clean(p.Probe.Target), exact(p.Probe.Interval))
		fmt.Fprintf(&b, "  requests   %s a minute, at worst %s; at most %s\n", rate(p.Requests.Well), rate(p.Requests.Worst), perRun(p))
		fmt.Fprintf(&b, "  series     %s\n", seriesText(p.Series))
		fmt.Fprintf(&b, "  longest    %s%s\n\n", worstText(&p.Worst), overrun(p))
		drawing{width: x.width}.print(&b, &p.Worst)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// perRun is how many requests a run makes at most, and which of them are no attempts of the file's.
func perRun(p *plan.Probe) string {
	text := fmt.Sprintf("%d a run", p.Rate.PerRun)
	if p.Rate.Resends > 0 {
		text += fmt.Sprintf(": %s and %s (retry.transparent)", count(p.Rate.PerRun-p.Rate.Resends, "attempt"), count(p.Rate.Resends, "resend"))
	}
	return text
}

// overrun says how the longest run stands to the interval.
func overrun(p *plan.Probe) string {
	if p.Overruns() {
		return ": the next run is due before it ends, and is skipped"
	}
	return fmt.Sprintf(", then %s until the next run is due", exact(p.Probe.Interval-p.Worst.Duration))
}

// rate is a number of requests with at most four digits that matter.
func rate(n float64) string {
	switch {
	case n < 0:
		return "-" + rate(-n)
	case n >= 1000:
		return strconv.FormatFloat(n, 'f', 0, 64)
	case n > 0 && n < 0.001:
		return "<0.001"
	}
	return strconv.FormatFloat(n, 'g', 4, 64)
}

// requests is how many there are a minute, in words.
func requests(well float64) string {
	if text := rate(well); text != "1" {
		return text + " requests a minute"
	}
	return "1 request a minute"
}

// exact is a duration to the millisecond, without units that are 0: 54s, 1m, 1m0.5s, 24h.
func exact(d time.Duration) string {
	if d > time.Second {
		d = d.Round(time.Millisecond)
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// size is a number of bytes.
func size(n int64) string {
	for _, unit := range []string{"B", "KiB", "MiB"} {
		if n < 1<<10 {
			return fmt.Sprintf("%d %s", n, unit)
		}
		n = (n + 512) >> 10
	}
	return fmt.Sprintf("%d GiB", n)
}
