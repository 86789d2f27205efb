package main

import (
	"fmt"
	"strings"
	"time"

	"sonde/probe"
	"sonde/probe/tale"
)

// blink is next to nothing.
const blink = 100 * time.Microsecond

// tookPlace is true of a phase in which something happened. Every attempt goes through the queue, and
// asks for addresses though it may have one; of these what is next to nothing is left out.
func tookPlace(a *probe.Attempt, p probe.Phase) bool {
	switch d := a.Phases[p]; {
	case !a.OK && p == a.Phase:
		return true
	case p == probe.PhaseQueue, p == probe.PhaseResolve:
		return d >= blink
	default:
		return d > 0
	}
}

// waterfall draws the phases of an attempt to scale, each where it began.
func (x *teller) waterfall(a *probe.Attempt) {
	var from time.Duration
	for p := range probe.NumPhases {
		d := a.Phases[p]
		if tookPlace(a, p) {
			colour := ""
			if !a.OK && p == a.Phase {
				colour = looks[probe.Down].colour
			}
			x.bar(p.String(), d, from, a.Duration, '█', colour)
		}
		from += d
	}
}

// bar draws one line: a label, how long it took, and its part of the whole.
func (x *teller) bar(label string, took, from, whole time.Duration, with rune, colour string) {
	room := max(8, x.width-labelWidth-len("  ")-len("  <0.1ms  "))
	start, end := column(from, whole, room), column(from+took, whole, room)
	if end <= start { // too short to be seen, or at the very end
		start = min(start, room-1)
		end = start + 1
	}
	drawn := strings.Repeat(string(with), end-start)
	if colour != "" {
		drawn = x.painted(colour, drawn)
	}
	fmt.Fprintf(&x.b, "  %s  %6s  %s%s\n", pad(label, labelWidth), brief(took), strings.Repeat(" ", start), drawn)
}

// brief is short, but says of what takes next to nothing that it took something.
func brief(d time.Duration) string {
	if d > 0 && d < blink/2 {
		return "<0.1ms"
	}
	return short(d)
}

// course draws the whole run: its attempts, and the waits between them.
func (x *teller) course(r *probe.Result) {
	for i := range r.Attempts {
		a := &r.Attempts[i]
		colour := looks[probe.Up].colour
		if !a.OK {
			colour = looks[probe.Down].colour
		}
		from := a.Started.Sub(r.Started)
		x.bar(courseLabel(a), a.Duration, from, r.Duration, '█', colour)
		if _, waits := tale.Wait(r, i); waits {
			x.bar("wait", a.Waited, from+a.Duration, r.Duration, '·', "")
		}
	}
}

// courseLabel is what an attempt is called beside its bar; it fits the labels.
func courseLabel(a *probe.Attempt) string {
	if a.Transparent {
		return fmt.Sprintf("resent %d", a.Number)
	}
	return fmt.Sprintf("attempt %d", a.Number)
}
