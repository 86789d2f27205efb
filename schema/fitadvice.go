package schema

import (
	"fmt"
	"time"
)

// adviseFit warns of attempts that no run can reach: the waits before them, at their shortest, end at or
// after the deadline. When not even the second one fits, retry-never-fits says so.
func (d *definition) adviseFit() {
	deadline, attempts := d.common.deadline(), d.common.Retry.Attempts
	fit, waits := d.reachable(deadline)
	if deadline == 0 || fit == attempts || fit < 2 {
		return
	}
	at := d.declared("retry", "attempts")
	if !at.exists() {
		at = d.declared("retry", "backoff", "base")
	}
	if !at.exists() || d.beats(at, "interval") || d.beats(at, "deadline") {
		return
	}
	d.warn(at, RuleFewFit, fmt.Sprintf("lets %d of %d attempts never be made: the waits before attempt %d are at least %s, and the deadline of the run is %s; want attempts: %d, shorter waits, or %s",
		attempts-fit, attempts, fit+1, text(waits), text(deadline), fit, d.longer()))
}

// longer is what gives a run the time for the waits of all its attempts, and does not last until after the
// next is due.
func (d *definition) longer() string {
	_, waits := d.reachable(0)
	switch {
	case d.common.Deadline == unset:
		return "a longer interval"
	case waits < time.Duration(d.common.Interval):
		return fmt.Sprintf("a deadline over %s", text(waits))
	}
	return "a longer interval and deadline"
}

// reachable is how many attempts there can be before the deadline even when each fails at once and
// chance makes every wait as short as can be, and the sum of the waits that the first attempt too many
// would have before it, or the last where there is none.
func (d *definition) reachable(deadline time.Duration) (attempts int, waits time.Duration) {
	p := d.policy()
	for waits = range p.Earliest() {
		if deadline > 0 && waits >= deadline {
			break
		}
		attempts++
	}
	return attempts, waits
}

// adviseUnbounded warns, where total is lifted, of limits that the deadline of the run always beats.
// With a total, a limit over the deadline is over total, or total itself is.
func (d *definition) adviseUnbounded() {
	t, deadline := &d.common.Timeout, namedLimit{"the deadline of the run", d.common.deadline()}
	if t.Total != 0 {
		return
	}
	for _, l := range []namedLimit{{"connect", time.Duration(t.Connect)}, {"sock_connect", time.Duration(t.SockConnect)}, {"sock_read", time.Duration(t.SockRead)}} {
		at := d.declared("timeout", l.name)
		if deadline.d > 0 && l.d > deadline.d && at.exists() && !d.beats(at, "interval") && !d.beats(at, "deadline") {
			d.warn(at, RuleNeverFires, fmt.Sprintf("is %s and can never fire, because %s ends the attempt after %s; want at most %s",
				text(l.d), deadline.name, text(deadline.d), text(deadline.d)))
		}
	}
}

// adviseNone warns of each limit of an attempt that is lifted, and says what is left to end one.
func (d *definition) adviseNone() {
	t := &d.common.Timeout
	if t.Total != 0 && t.Connect != 0 && t.SockConnect != 0 && t.SockRead != 0 {
		return // as nearly always
	}
	for _, l := range []struct {
		name, spans string
		limit       limit
		within      []namedLimit // the limits that span as much or more
	}{
		{"total", "an attempt", t.Total, nil},
		{"connect", "getting a connection", t.Connect, []namedLimit{{"total", time.Duration(t.Total)}}},
		{"sock_connect", "making a connection", t.SockConnect, []namedLimit{{"connect", time.Duration(t.Connect)}, {"total", time.Duration(t.Total)}}},
		{"sock_read", "a silence of the other side", t.SockRead, []namedLimit{{"total", time.Duration(t.Total)}}},
	} {
		if at := d.declared("timeout", l.name); l.limit == 0 && at.exists() {
			d.warn(at, RuleNoLimit, fmt.Sprintf("is none: %s ends %s; want a duration", d.ender(l.within), l.spans))
		}
	}
}

// ender says what ends an attempt, or a part of it, when its own limit is lifted.
func (d *definition) ender(within []namedLimit) string {
	for _, l := range within {
		if l.d > 0 {
			return fmt.Sprintf("only %s, after %s,", l.name, text(l.d))
		}
	}
	if deadline := d.common.deadline(); deadline > 0 {
		return fmt.Sprintf("only the deadline of the run, after %s, which leaves no time for a retry,", text(deadline))
	}
	return "nothing"
}
