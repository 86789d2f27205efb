// Package tale says in plain words what the record of a run means: what was decided after each attempt
// and by which rule, where a wait came from, which limit fired, and, in one sentence, how the target is.
// It reads what Probe.Run has filled and knows no kind: what it says of HTTP it has from the facts in
// probe.Attempt. Nothing here is drawn; who shows it escapes it, for parts of it come from the target.
package tale

import (
	"fmt"
	"time"

	"sonde/probe"
)

// Line is something said, and the key of the file that governs it; the key is empty where none does.
type Line struct{ Text, Key string }

// Limit is one of the four limits of a probe's attempts.
type Limit struct {
	Name  probe.Limit
	Spans time.Duration // 0 is none
}

// Limits are the four of a probe, in the order of the reference.
func Limits(p *probe.Probe) [4]Limit {
	l := p.Limits
	return [4]Limit{
		{probe.LimitTotal, l.Total}, {probe.LimitConnect, l.Connect},
		{probe.LimitSockConnect, l.SockConnect}, {probe.LimitSockRead, l.SockRead},
	}
}

// spans is how long a limit of the probe is.
func spans(p *probe.Probe, name probe.Limit) time.Duration {
	for _, l := range Limits(p) {
		if l.Name == name {
			return l.Spans
		}
	}
	return 0
}

// Fired says which limit ended an attempt, and where; false when none did.
func Fired(p *probe.Probe, a *probe.Attempt) (Line, bool) {
	if a.OK || a.Limit == "" {
		return Line{}, false
	}
	l := Line{Key: "timeout." + string(a.Limit)}
	l.Text = fmt.Sprintf("limit %s (%s) fired in phase %s", a.Limit, span(spans(p, a.Limit)), a.Phase)
	if a.Reason == probe.ReasonProberLate || a.Late > spans(p, a.Limit)/2 {
		l.Text += fmt.Sprintf(", while sonde itself was %s late", span(a.Late))
	}
	return l, true
}

// Asked says what the other side asked for; false when it asked for nothing.
func Asked(p *probe.Probe, a *probe.Attempt) (Line, bool) {
	if !a.HasAsked {
		return Line{}, false
	}
	r := p.Policy.RetryAfter
	l := Line{Text: fmt.Sprintf("%s asked to wait %s%s", asker(a), span(a.Asked), by(a)), Key: "retry.retry_after.max"}
	if over(p, a) {
		l.Text += fmt.Sprintf(", more than the %s that retry.retry_after.max allows: %s", span(r.Max), above(r.Above))
		l.Key = "retry.retry_after.above"
	}
	return l, true
}

// asker is who asked for a wait.
func asker(a *probe.Attempt) string {
	if a.Reason == probe.ReasonProxyStatus {
		return "the proxy"
	}
	return "the site"
}

// by is how the other side asked, where that has a name.
func by(a *probe.Attempt) string {
	if a.HTTP != nil || a.Reason == probe.ReasonProxyStatus {
		return " (Retry-After)"
	}
	return ""
}

// over is true of a wait that was asked for and is longer than is obeyed.
func over(p *probe.Probe, a *probe.Attempt) bool {
	r := p.Policy.RetryAfter
	return a.HasAsked && r.Max > 0 && a.Asked > r.Max
}

// Number is what an attempt is called: "attempt 2 of 4", "attempt 1 resent".
func Number(r *probe.Result, i int) string {
	a := &r.Attempts[i]
	if a.Transparent {
		return fmt.Sprintf("attempt %d resent", a.Number)
	}
	return fmt.Sprintf("attempt %d of %d", a.Number, max(1, r.Probe.Policy.Attempts))
}

// span is a duration to about three digits: 1.25s, 812ms, 1m30s.
func span(d time.Duration) string {
	unit := time.Nanosecond
	for unit < time.Second && d >= 1000*unit {
		unit *= 10
	}
	return trimmed(d.Round(unit))
}

// trimmed is a duration without units that are 0.
func trimmed(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if n := len(text) - len(zero); n > 0 && text[n:] == zero {
			text = text[:n+1]
		}
	}
	return text
}
