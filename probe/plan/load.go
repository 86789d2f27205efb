package plan

import (
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// requests is how many requests a probe makes a minute, and at most in one run. The worst that attempts
// can do to their target is to fail at once and to draw the shortest waits, so that as many as can be
// fit before the deadline; a run that still lasts beyond its interval takes the place of the next, so
// that one which ends sooner may ask for more in the long run.
func requests(p *probe.Probe) (r Requests, perRun int) {
	r.Well = perMinute(1, p.Interval)
	resends := resends(p)
	for n, began := range earliest(&p.Policy) {
		perRun = n + 1 + resends
		intervals := max(1, ceil(began, p.Interval))
		r.Worst = max(r.Worst, perMinute(float64(perRun)/float64(intervals), p.Interval))
	}
	return r, perRun
}

// earliest is when each attempt of a run can begin at the earliest, counted from the run's start. An
// attempt that can begin only at the deadline or after it is never made.
func earliest(p *retry.Policy) []time.Duration {
	began := []time.Duration{0}
	at, previous := time.Duration(0), time.Duration(0)
	for n := 1; n < p.Attempts; n++ {
		previous = p.Backoff.Wait(n, previous, 0)
		at = add(at, previous)
		if p.Deadline > 0 && at >= p.Deadline {
			break
		}
		began = append(began, at)
	}
	return began
}

// resends is how many transparent attempts a run may make: they need a connection that was kept, or a
// peer that can refuse one request on it.
func resends(p *probe.Probe) int {
	if _, keeps := p.Prober.(probe.Rester); !keeps || p.Policy.Transparent < 1 {
		return 0
	}
	return 1
}

// perMinute is the rate of n requests each interval.
func perMinute(n float64, interval time.Duration) float64 {
	if interval <= 0 {
		return 0
	}
	return n * 60 / interval.Seconds()
}

// ceil is how many intervals cover d.
func ceil(d, interval time.Duration) int64 {
	if interval <= 0 {
		return 1
	}
	n := int64(d / interval)
	if d%interval > 0 {
		n++
	}
	return n
}

// load gathers what the probes of a host do, and what its budget lets them do.
type load struct {
	Host
	free   float64 // requests a minute that no budget bounds: first attempts and transparent ones
	begins float64 // runs a minute that bring the budget tokens
}

func (l *load) add(p *Probe) {
	l.Probes++
	l.Requests.Well += p.Requests.Well
	l.Requests.Worst += p.Requests.Worst
	if b := p.Probe.Policy.Budget; b != (retry.Budget{}) {
		l.Budget = b
		l.begins += p.Requests.Well
		l.free += uncharged(p)
		return
	}
	l.free += p.Requests.Worst
}

// uncharged is how many requests a minute of a probe cost no token.
func uncharged(p *Probe) float64 {
	return p.Requests.Well * float64(1+resends(p.Probe))
}

// tokens is how many retries a minute the budget allows in the long run. A burst is spent once.
func (l *load) tokens() float64 {
	return l.Budget.Ratio*l.begins + 60*l.Budget.FloorPerSecond
}

// share bounds a probe that may have all tokens of its host.
func (l *load) share(p *Probe) {
	if p.Probe.Policy.Budget != (retry.Budget{}) {
		p.Requests.Worst = min(p.Requests.Worst, uncharged(p)+l.tokens())
	}
}

// bounded is the host with its budget applied.
func (l *load) bounded() Host {
	h := l.Host
	if h.Budget == (retry.Budget{}) {
		return h
	}
	if most := l.free + l.tokens(); most < h.Requests.Worst {
		h.Requests.Worst, h.Bound = most, true
	}
	return h
}
