package plan

import (
	"math"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// Timeline is a run that lasts as long as any can.
type Timeline struct {
	Steps []Step
	// Duration is how long the run lasts; no run lasts longer, and runs come as near to it as chance
	// comes to 1. Of an unbounded run it is how long it lasts before the step that never ends.
	Duration time.Duration
	// Unbounded is true when no limit ends a step, and no deadline the run.
	Unbounded bool
	// Stop is what ends the run; empty when nothing does.
	Stop retry.Stop
}

// StepKind is what a run does meanwhile.
type StepKind string

// What a run does.
const (
	StepAttempt StepKind = "attempt"
	StepResend  StepKind = "resend" // a transparent attempt
	StepWait    StepKind = "wait"
)

// Step is a part of a timeline.
type Step struct {
	Kind StepKind
	// Number is that of the attempt, or of the attempt before the wait.
	Number int
	// Start counts from the run's start.
	Start, Duration time.Duration
	// Unbounded is true of a step that nothing ends.
	Unbounded bool
	// Cut is true when the step could last longer, but for the run's deadline.
	Cut bool
	// Source is where a wait comes from; empty for attempts.
	Source retry.Source
}

// forever is the duration of what nothing ends.
const forever time.Duration = math.MaxInt64

// worst is the longest run. Of timelines that last equally long it is the plainest: one without a
// Retry-After, without a transparent attempt, and with as few attempts as will do.
func worst(p *probe.Probe) Timeline {
	longest := timeline(p, false, false)
	asks, resends := asks(p), p.Rate().Resends > 0
	if asks {
		longest = longer(longest, timeline(p, true, false))
	}
	if resends {
		longest = longer(longest, timeline(p, false, true))
	}
	if asks && resends {
		longest = longer(longest, timeline(p, true, true))
	}
	return longest
}

// asks reports whether the other side may ask for a wait.
func asks(p *probe.Probe) bool {
	a, ok := p.Prober.(probe.Asker)
	return ok && a.Asks()
}

// longer is b when it lasts longer than a.
func longer(a, b Timeline) Timeline {
	if !a.Unbounded && (b.Unbounded || b.Duration > a.Duration) {
		return b
	}
	return a
}

// span is a step before it is known how long the run lets it last.
type span struct {
	Step
	least, most time.Duration
}

// timeline is the longest run in which the other side asks for the longest waits, or the first attempt
// is repeated transparently, or neither.
func timeline(p *probe.Probe, asked, resent bool) Timeline {
	spans := spansOf(p, asked, resent)
	end := min(limitOf(p.Policy.Deadline), total(spans))
	for n := range spans { // as few steps as will do
		if spans[n].Kind != StepWait && total(spans[:n+1]) >= end {
			spans = spans[:n+1]
			break
		}
	}
	t := Timeline{Stop: stopOf(p, total(spans), end)}
	squeeze(spans, end)
	for _, s := range spans {
		t.put(s)
	}
	return t
}

// stopOf is what ends a run that would last wanted, but may only until end.
func stopOf(p *probe.Probe, wanted, end time.Duration) retry.Stop {
	switch {
	case end == forever:
		return ""
	case p.Policy.Deadline > 0 && wanted >= p.Policy.Deadline:
		return retry.StopDeadline
	case p.Policy.Reachable() < p.Policy.Attempts:
		return retry.StopDeadlineWouldPass
	}
	return retry.StopAttempts
}

// spansOf is all attempts that a run can make, and the waits between them.
func spansOf(p *probe.Probe, asked, resent bool) []span {
	var spans []span
	attempt := span{Step: Step{Kind: StepAttempt, Number: 1}, most: limitOf(p.Limits.Total)}
	previous := time.Duration(0)
	for n := range p.Policy.Reachable() {
		if n > 0 {
			w := longestWait(&p.Policy, n, previous, asked)
			previous = w.most
			spans = append(spans, w)
		}
		attempt.Number = n + 1
		spans = append(spans, attempt)
		if n == 0 && resent {
			again := attempt
			again.Kind = StepResend
			spans = append(spans, again)
		}
	}
	return spans
}

// longestWait is the wait after the n-th attempt with chance at its worst.
func longestWait(p *retry.Policy, n int, previous time.Duration, asked bool) span {
	w := span{Step: Step{Kind: StepWait, Number: n, Source: retry.FromBackoff}}
	w.least, w.most = p.Backoff.Wait(n, 0, 0), p.Backoff.Wait(n, previous, 1)
	if !asked {
		return w
	}
	if most := add(limitOf(p.RetryAfter.Max), max(0, p.Backoff.Jitter)); most > w.most {
		w.most, w.Source = most, retry.FromRetryAfter
	}
	return w
}

// squeeze shortens steps so that the last one can begin at the run's end, if not before. A run comes to
// its deadline in one way or another as long as its shortest waits let it; those steps are shortened
// that come last.
func squeeze(spans []span, end time.Duration) {
	if end == forever {
		return
	}
	last := len(spans) - 1
	for i := last - 1; i >= 0 && total(spans[:last]) > end; i-- {
		room := end - total(spans[:i]) - total(spans[i+1:last])
		spans[i].shorten(max(spans[i].least, room))
	}
	spans[last].shorten(end - total(spans[:last]))
}

func (s *span) shorten(to time.Duration) {
	if to < s.most {
		s.most, s.Cut = to, true
	}
}

// put adds a step; nothing comes after one without an end.
func (t *Timeline) put(s span) {
	if t.Unbounded {
		return
	}
	s.Start = t.Duration
	if s.most == forever {
		s.Unbounded, t.Unbounded = true, true
	} else {
		s.Duration = s.most
		t.Duration += s.most
	}
	t.Steps = append(t.Steps, s.Step)
}

// limitOf is a limit of which 0, or less, is none.
func limitOf(d time.Duration) time.Duration {
	if d <= 0 {
		return forever
	}
	return d
}

// total is how long the steps last at most.
func total(spans []span) time.Duration {
	var d time.Duration
	for i := range spans {
		d = add(d, spans[i].most)
	}
	return d
}

// add adds durations that are not below 0; too much is forever.
func add(a, b time.Duration) time.Duration {
	if sum := a + b; sum >= a {
		return sum
	}
	return forever
}
