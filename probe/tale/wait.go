package tale

import (
	"fmt"
	"math"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// Wait says of what the wait after the i-th attempt is made; false when there is none.
func Wait(r *probe.Result, i int) (Line, bool) {
	a := &r.Attempts[i]
	switch a.WaitSource {
	case retry.FromBackoff:
		return Line{span(a.Wait) + ": " + backoff(r, i), "retry.backoff"}, true
	case retry.FromRetryAfter:
		return Line{span(a.Wait) + ": " + asked(r, i), "retry.retry_after"}, true
	}
	return Line{}, false
}

// previous is the wait before the i-th attempt; 0 when there was none.
func previous(r *probe.Result, i int) time.Duration {
	for i--; i >= 0; i-- {
		if a := &r.Attempts[i]; a.WaitSource != "" {
			return a.Wait
		}
	}
	return 0
}

// backoff is the arithmetic of a wait by the policy alone.
func backoff(r *probe.Result, i int) string {
	a, b := &r.Attempts[i], r.Probe.Policy.Backoff
	text := drawn(b, a.Number, previous(r, i), a.Wait)
	switch {
	case !a.HasAsked:
		return text
	case over(r.Probe, a):
		return text + ignored(r.Probe, a)
	}
	return text + fmt.Sprintf("; the %s that %s asked for are over by then", span(a.Asked), asker(a))
}

func ignored(p *probe.Probe, a *probe.Attempt) string {
	return fmt.Sprintf("; %s asked for %s, which retry.retry_after.above: %s leaves aside", asker(a), span(a.Asked), p.Policy.RetryAfter.Above)
}

// drawn says how chance made a wait of a backoff.
func drawn(b retry.Backoff, n int, previous, wait time.Duration) string {
	low := b.Wait(n, previous, 0)
	switch b.Kind {
	case retry.Full:
		return fmt.Sprintf("drawn between 0 and %s", grown(b, n, b.Cap))
	case retry.Equal:
		return fmt.Sprintf("%s, which is half of %s, and %s drawn of the other half", span(low), grown(b, n, b.Cap), span(wait-low))
	case retry.Decorrelated:
		from := "base"
		if previous > 0 {
			from = "the wait before"
		} else {
			previous = b.Base
		}
		return fmt.Sprintf("drawn between base %s and 3 · %s %s, at most cap %s", span(b.Base), from, span(previous), span(b.Cap))
	}
	room := b.Cap
	if b.CapIncludesJitter {
		room = max(0, b.Cap-b.Jitter)
	}
	return grown(b, n, room) + jitter(b, wait-low)
}

// grown says how base has grown: "base 200ms", "base 200ms · 2^2 = 800ms", "base 200ms · 2^5, capped at 1s".
func grown(b retry.Backoff, n int, limit time.Duration) string {
	text := "base " + span(b.Base)
	if n > 1 && b.Base > 0 {
		text += fmt.Sprintf(" · 2^%d", n-1)
	}
	switch value := b.Grown(n, math.MaxInt64); {
	case value > limit:
		return text + ", capped at " + span(limit)
	case value == b.Base: // it is the first wait, or base is 0
		return text
	default:
		return text + " = " + span(value)
	}
}

// asked is the arithmetic of a wait that the other side asked for.
func asked(r *probe.Result, i int) string {
	a, p := &r.Attempts[i], r.Probe
	wait, _, _ := p.Policy.RetryAfter.Judge(a.Asked, a.HasAsked)
	text := fmt.Sprintf("%s asked for %s%s", asker(a), span(a.Asked), by(a))
	if over(p, a) {
		text += fmt.Sprintf(", clamped to retry.retry_after.max %s", span(wait))
	}
	return text + jitter(p.Policy.Backoff, a.Wait-wait) + "; the backoff would be shorter"
}

// jitter is what chance has added.
func jitter(b retry.Backoff, d time.Duration) string {
	if b.Jitter <= 0 {
		return ""
	}
	return fmt.Sprintf(", plus %s drawn of %s jitter", span(max(0, d)), span(b.Jitter))
}

// above says what becomes of a wait that is longer than is obeyed.
func above(a retry.Above) string {
	switch a {
	case retry.AboveClamp:
		return "that much is waited"
	case retry.AboveIgnore:
		return "the backoff alone is waited"
	}
	return "the run stops"
}
