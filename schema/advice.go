package schema

import (
	"fmt"
	"math"
	"strings"
	"time"

	"sonde/probe"
)

// advise warns of values that are legal and cannot be meant. A warning needs a value of the file at
// fault, and stands at it once, with the number of probes that it concerns.
func (d *definition) advise() {
	hangs := d.adviseHang()
	d.adviseLimits()
	d.adviseDeadline(hangs)
	d.adviseBackoff()
	d.adviseFit()
	d.adviseNone()
	if !hangs {
		d.adviseUnbounded()
	}
	d.adviseKeep()
	d.adviseSecrets()
	d.adviseVariables()
}

func (d *definition) warn(at source, rule, text string) {
	d.problems.warn(at.place, !at.own(), rule, text)
}

// namedLimit is a limit under its name in the file.
type namedLimit struct {
	name string
	d    time.Duration
}

// adviseLimits warns of limits that another one always beats.
func (d *definition) adviseLimits() {
	t := &d.common.Timeout
	total, connect := namedLimit{"total", time.Duration(t.Total)}, namedLimit{"connect", time.Duration(t.Connect)}
	sockConnect, sockRead := namedLimit{"sock_connect", time.Duration(t.SockConnect)}, namedLimit{"sock_read", time.Duration(t.SockRead)}
	d.beaten(connect, total)
	if !d.beaten(sockConnect, connect) {
		d.beaten(sockConnect, total)
	}
	d.beaten(sockRead, total)
}

// beaten warns when the greater limit spans no more than the lesser one, which is shorter. A probe that
// shortens a limit of defaults is not at fault, nor are defaults: then nobody is warned.
func (d *definition) beaten(loser, winner namedLimit) bool {
	if loser.d == 0 || winner.d == 0 || loser.d <= winner.d {
		return false
	}
	at := d.declared("timeout", loser.name)
	if !at.exists() || d.beats(at, "timeout", winner.name) {
		return false
	}
	d.warn(at, RuleNeverFires, fmt.Sprintf("is %s and can never fire, because %s ends the attempt after %s; want at most %s",
		text(loser.d), winner.name, text(winner.d), text(winner.d)))
	return true
}

// adviseDeadline warns of runs that the deadline cuts too soon, or too late. That it beats the limits is
// said already when hangs is true.
func (d *definition) adviseDeadline(hangs bool) {
	deadline, interval := d.common.deadline(), time.Duration(d.common.Interval)
	total := time.Duration(d.common.Timeout.Total)
	switch at := d.declared("deadline"); {
	case deadline == 0:
		d.adviseWorstCase(at)
	case deadline > interval && at.exists():
		d.warn(at, RuleLongDeadline, fmt.Sprintf("is %s, but the next run is due after %s and is skipped while one is still going; want at most %s",
			text(deadline), text(interval), text(interval)))
	case total > deadline && !hangs:
		d.adviseTotal(deadline)
	}
}

// adviseTotal warns of a limit total that the deadline of the run always beats.
func (d *definition) adviseTotal(deadline time.Duration) {
	at := d.declared("timeout", "total")
	if !at.exists() || d.beats(at, "interval") || d.beats(at, "deadline") {
		return
	}
	why := "the deadline of the run is " + text(deadline)
	if d.common.Deadline == unset {
		why = fmt.Sprintf("the deadline of the run is 0.9 × interval = 0.9 × %s = %s", text(time.Duration(d.common.Interval)), text(deadline))
	}
	d.warn(at, RuleNeverFires, fmt.Sprintf("is %s and can never fire, because %s; want at most %s", text(time.Duration(d.common.Timeout.Total)), why, text(deadline)))
}

// adviseWorstCase warns, where no deadline is, of runs that may last until after the next is due.
func (d *definition) adviseWorstCase(at source) {
	if !at.exists() {
		return
	}
	attempts, total, interval := d.common.Retry.Attempts, time.Duration(d.common.Timeout.Total), time.Duration(d.common.Interval)
	if total == 0 {
		d.warn(at, RuleWorstCase, "is none, and so is timeout.total: a run may last for ever, and none follows it; want a limit for one of them")
		return
	}
	waits := d.longestWaits(attempts)
	worst := saturate(float64(attempts)*float64(total) + float64(waits))
	if worst > interval {
		d.warn(at, RuleWorstCase, fmt.Sprintf("is none, so that a run may last %s (%s of %s, and waits of up to %s), but the next is due after %s and is skipped while one is still going",
			text(worst), probe.Count(attempts, "attempt"), text(total), text(waits), text(interval)))
	}
}

// longestWaits is the sum of the waits of a run of so many attempts at its worst, what the other side
// asks for left out.
func (d *definition) longestWaits(attempts int) time.Duration {
	b := d.policy().Backoff
	var sum float64
	previous := time.Duration(0)
	for n := 1; n < attempts; n++ {
		previous = b.Wait(n, previous, 1)
		sum += float64(previous)
	}
	return saturate(sum)
}

func saturate(f float64) time.Duration {
	if f > math.MaxInt64/2 {
		return math.MaxInt64 / 2
	}
	return time.Duration(f).Round(time.Millisecond)
}

// adviseBackoff warns of waits that the cap or the deadline make pointless.
func (d *definition) adviseBackoff() {
	b, deadline := &d.common.Retry.Backoff, d.common.deadline()
	if base, top := time.Duration(b.Base), time.Duration(b.Cap); base > top {
		d.adviseEither("retry.backoff.base", "retry.backoff.cap", RuleNoGrowth, fmt.Sprintf("base %s is over cap %s, so that every wait is the cap; want base below cap", text(base), text(top)))
	}
	d.adviseJitter()
	first := min(time.Duration(b.Base), time.Duration(b.Cap))
	sure := b.Kind == "additive" || b.Kind == "decorrelated"
	if deadline > 0 && first >= deadline && sure && d.common.Retry.Attempts > 1 {
		d.adviseEither("retry.backoff.base", "deadline", RuleNoRetry,
			fmt.Sprintf("the first wait is at least %s and the deadline of the run %s, so that no retry ever fits; want a shorter base, or attempts: 1", text(first), text(deadline)))
	}
}

// adviseEither warns at the first of two values that the file declares.
func (d *definition) adviseEither(one, other, rule, why string) {
	for _, name := range []string{one, other} {
		if at := d.declared(strings.Split(name, ".")...); at.exists() {
			d.warn(at, rule, "cannot be meant: "+why)
			return
		}
	}
}

// adviseJitter warns of jitter that leaves nothing of the cap for the wait that grows.
func (d *definition) adviseJitter() {
	b := &d.common.Retry.Backoff
	jitter, top := time.Duration(b.Jitter), time.Duration(b.Cap)
	if b.Kind == "additive" && b.CapIncludesJitter && jitter >= top && b.Base > 0 {
		d.adviseEither("retry.backoff.jitter", "retry.backoff.cap", RuleNoGrowth,
			fmt.Sprintf("jitter %s leaves nothing of cap %s, which includes it, so that every wait is chance alone; want jitter below cap", text(jitter), text(top)))
	}
}
