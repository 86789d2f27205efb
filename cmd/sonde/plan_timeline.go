package main

import (
	"fmt"
	"strings"
	"time"

	"sonde/probe/plan"
	"sonde/probe/retry"
)

// drawing draws a run: a line a step, each with a bar at its place in time.
type drawing struct{ width int }

// bars are how the steps look.
var bars = map[plan.StepKind]string{plan.StepAttempt: "█", plan.StepResend: "▓", plan.StepWait: "·"}

func (d drawing) print(b *strings.Builder, t *plan.Timeline) {
	label := 0
	for _, s := range t.Steps {
		label = max(label, len(stepName(s)))
	}
	room := max(10, d.width-len("  1h00m00.5s  1h00m00.5s  ")-label-2)
	for _, s := range t.Steps {
		line := fmt.Sprintf("  %10s  %10s  %s  %s", exact(s.Start), lasts(s), pad(stepName(s), label), bar(s, t, room))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if !t.Unbounded {
		fmt.Fprintf(b, "  %10s  %10s  %s\n", exact(t.Duration), "", endName(t.Stop))
	}
}

// stepName is what a step is, in words.
func stepName(s plan.Step) string {
	switch s.Kind {
	case plan.StepResend:
		return fmt.Sprintf("attempt %d resent", s.Number)
	case plan.StepWait:
		if s.Source == retry.FromRetryAfter {
			return "wait (Retry-After)"
		}
		return "wait"
	}
	return fmt.Sprintf("attempt %d", s.Number)
}

// lasts is how long a step lasts; + marks one that the run's deadline keeps from lasting longer.
func lasts(s plan.Step) string {
	switch {
	case s.Unbounded:
		return "no end"
	case s.Cut:
		return exact(s.Duration) + "+"
	}
	return exact(s.Duration)
}

// bar is a step's part of the run. What never ends goes to the edge, and what is before it is of the
// length that the rest of the room leaves.
func bar(s plan.Step, t *plan.Timeline, room int) string {
	whole := t.Duration
	if t.Unbounded {
		whole *= 2
	}
	if s.Unbounded {
		from := column(s.Start, whole, room)
		return strings.Repeat(" ", from) + strings.Repeat(bars[s.Kind], max(1, room-from-1)) + "→"
	}
	from, to := column(s.Start, whole, room), column(s.Start+s.Duration, whole, room)
	if to == from { // too short to be seen, or at the very end
		from = min(from, room-1)
		to = from + 1
	}
	return strings.Repeat(" ", from) + strings.Repeat(bars[s.Kind], to-from)
}

// column is where an instant stands.
func column(at, whole time.Duration, room int) int {
	if whole <= 0 {
		return 0
	}
	return int(float64(at) / float64(whole) * float64(room))
}

// endName says what ends the run.
func endName(stop retry.Stop) string {
	switch stop {
	case retry.StopDeadline:
		return "the deadline of the run"
	case retry.StopDeadlineWouldPass:
		return "no wait fits before the deadline of the run"
	}
	return "no attempt is left"
}
