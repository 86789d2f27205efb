package schema

import (
	"fmt"
	"strings"
	"time"

	"sonde/probe"
)

// adviseHang warns of a run in which a target that hangs once it is connected is never tried again: no
// limit that would end its attempt fires early enough for a second one. It says whether it warned, and
// then nothing else need be said of limits that the deadline beats.
func (d *definition) adviseHang() bool {
	h, ok := d.hang()
	if !ok {
		return false
	}
	at, what := h.fault()
	if !at.exists() || at.node.Value == "none" {
		return false // limit-none stands there, and says the same
	}
	d.warn(at, RuleHang, fmt.Sprintf("%s, and %s leave no time for %s: a target that hangs is never tried again; want %s",
		what, h.limits(), h.second(), strings.Join(h.mends(), ", or ")))
	return true
}

// hang is a run that one silent attempt takes up.
type hang struct {
	*definition
	deadline time.Duration
	ends     time.Duration // when a limit ends the silent attempt, at the earliest
	wait     time.Duration // before the second attempt, at its shortest
}

// hang looks for it. Who has no limit at all is told so by limit-none, and who wants no other attempt
// after silence, or has no time for any, wants none here.
func (d *definition) hang() (h hang, ok bool) {
	t, deadline := &d.common.Timeout, d.common.deadline()
	if deadline == 0 || d.common.Retry.Attempts < 2 || t.Total == 0 && t.SockRead == 0 {
		return h, false
	}
	h = hang{definition: d, deadline: deadline, ends: time.Duration(t.Total), wait: d.policy().Backoff.Wait(1, 0, 0)}
	if read := time.Duration(t.SockRead); h.ends == 0 || read > 0 && read < h.ends {
		h.ends = read
	}
	return h, h.wait < deadline && h.ends+h.wait >= deadline && d.retriesSilence()
}

// retriesSilence is true when silence is followed by another attempt, as far as kind and policy go.
func (d *definition) retriesSilence() bool {
	for _, r := range []probe.Reason{probe.ReasonLimitTotal, probe.ReasonLimitSockRead} {
		if transient, declared := d.overrides()[r]; declared && !transient {
			return false
		}
	}
	s, says := d.settings.(probe.SilenceRetrier)
	return !says || s.RetriesSilence(d.env())
}

// fault is where it stands and how it begins: at the interval or deadline, unless a stronger layer has
// a limit of its own.
func (h hang) fault() (at source, what string) {
	run, ends := "interval", fmt.Sprintf("is %s, so that a run ends after %s", text(time.Duration(h.common.Interval)), text(h.deadline))
	if h.common.Deadline != unset {
		run, ends = "deadline", "is "+text(h.deadline)
	}
	at, what = h.declared(run), ends
	for _, keys := range [][]string{{"timeout", "total"}, {"timeout", "sock_read"}, {"retry", "backoff", "base"}, {"retry", "backoff", "cap"}} {
		if other := h.declared(keys...); other.exists() && (!at.exists() || other.rank < at.rank && keys[0] == "timeout") {
			at, what = other, fmt.Sprintf("is %s, but a run ends after %s", other.node.Value, text(h.deadline))
		}
	}
	return at, what
}

// limits are those that end a silent attempt, with what they are.
func (h hang) limits() string {
	t := &h.common.Timeout
	var list []string
	for _, l := range []namedLimit{{"sock_read", time.Duration(t.SockRead)}, {"total", time.Duration(t.Total)}} {
		value := "none"
		if l.d > 0 {
			value = text(l.d)
		}
		if !h.declared("timeout", l.name).exists() {
			value += ", built-in"
		}
		list = append(list, fmt.Sprintf("%s (%s)", l.name, value))
	}
	return strings.Join(list, " and ")
}

func (h hang) second() string {
	if h.wait == 0 {
		return "a second attempt"
	}
	return fmt.Sprintf("a wait of %s and a second attempt", text(h.wait))
}

// mends are what would mend it.
func (h hang) mends() (list []string) {
	attempts := h.common.Retry.Attempts
	if limit, fit := h.fitting(); fit > 0 {
		of := fmt.Sprintf("%d of %d", fit, attempts)
		if fit == attempts {
			of = fmt.Sprint(fit)
		}
		list = append(list, fmt.Sprintf("timeout: {%s} for %s attempts", strings.Join(h.shortened(limit), ", "), of))
	} else if h.wait > 0 {
		list = append(list, "a shorter backoff and timeout")
	}
	need := saturate(float64(attempts)*float64(h.ends) + float64(h.longestWaits(attempts)))
	interval := roundUp(need / 9 * 10)
	switch deadline := roundUp(need); {
	case h.common.Deadline == unset:
		list = append(list, "interval: "+text(interval))
	case deadline <= time.Duration(h.common.Interval):
		list = append(list, "deadline: "+text(deadline))
	default:
		list = append(list, fmt.Sprintf("interval: %s and deadline: %s", text(interval), text(deadline)))
	}
	if time.Duration(h.common.Timeout.Total) > h.deadline && h.declared("timeout", "total").exists() {
		return list // with one attempt, too, that limit never fires
	}
	return append(list, "attempts: 1")
}

const (
	// amplyLimited is the shortest limit for whose sake no attempt is given up.
	amplyLimited = 2 * time.Second
	// leastLimit is the shortest limit that is ever suggested.
	leastLimit = 100 * time.Millisecond
)

// fitting is a limit of an attempt with which as many attempts fit into the run as there can be, even at
// their longest; 0 attempts when there is none that is worth its name.
func (h hang) fitting() (limit time.Duration, attempts int) {
	for n := h.common.Retry.Attempts; n >= 2; n-- {
		limit = roundDown((h.deadline - h.longestWaits(n)) / time.Duration(n))
		if limit >= amplyLimited || n == 2 && limit >= leastLimit {
			return limit, n
		}
	}
	return 0, 0
}

// shortened are total, and the limits of the file that it would beat, at what is suggested.
func (h hang) shortened(to time.Duration) []string {
	t := &h.common.Timeout
	list := []string{"total: " + text(to)}
	for _, l := range []namedLimit{{"connect", time.Duration(t.Connect)}, {"sock_connect", time.Duration(t.SockConnect)}, {"sock_read", time.Duration(t.SockRead)}} {
		if l.d > to && h.declared("timeout", l.name).exists() {
			list = append(list, l.name+": "+text(to))
		}
	}
	return list
}

// roundDown and roundUp make a duration one that people write.
func roundDown(d time.Duration) time.Duration {
	switch {
	case d < time.Second:
		return d.Truncate(50 * time.Millisecond)
	case d < 10*time.Second:
		return d.Truncate(500 * time.Millisecond)
	}
	return d.Truncate(time.Second)
}

func roundUp(d time.Duration) time.Duration {
	unit := time.Second
	switch {
	case d > 2*time.Minute:
		unit = time.Minute
	case d > 20*time.Second:
		unit = 5 * time.Second
	}
	return (d + unit - 1).Truncate(unit)
}
