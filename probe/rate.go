package probe

import (
	"time"

	"sonde/probe/retry"
)

// Rate is how many requests a probe makes: a request is what one attempt sends, and a redirect that is followed
// is not counted, for only the target says how many there are.
type Rate struct {
	// Well is how many it makes a minute while every run passes at its first attempt.
	Well float64
	// Worst is how many it makes a minute, averaged over a long time, while attempts fail at once and draw the
	// shortest waits, for as long as the policy goes on. No budget is regarded; see HostRate.
	Worst float64
	// PerRun is how many a run makes at most, a transparent one included.
	PerRun int
	// Resends is how many of those are transparent attempts, which are not charged to attempts.
	Resends int
}

// Rate reckons the probe's rate. The worst that attempts can do to their target is to fail at once, so that as
// many as can be fit before the deadline; a run that still lasts beyond its interval takes the place of the next,
// so that one which ends sooner may ask for more in the long run.
func (p *Probe) Rate() Rate {
	r := Rate{Well: perMinute(1, p.Interval), Resends: p.resends()}
	for began := range p.Policy.Earliest() {
		if p.Policy.Deadline > 0 && began >= p.Policy.Deadline {
			return r
		}
		if r.PerRun++; r.PerRun == 1 {
			r.PerRun += r.Resends
		}
		r.Worst = max(r.Worst, perMinute(float64(r.PerRun)/intervals(began, p.Interval), p.Interval))
	}
	return r
}

// resends is how many transparent attempts a run may make: they need a connection that was kept, or a peer
// that can refuse one request on it.
func (p *Probe) resends() int {
	if _, keeps := p.Prober.(Rester); !keeps || p.Policy.Transparent < 1 {
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

// intervals is how many intervals cover d, at least one.
func intervals(d, interval time.Duration) float64 {
	if interval <= 0 {
		return 1
	}
	n := d / interval
	if d%interval > 0 {
		n++
	}
	return float64(max(1, n))
}

// HostRate adds up what the probes of one host do to it. The zero value is a host without probes.
type HostRate struct {
	// Well and Worst are the sums of the probes', and regard no budget.
	Well, Worst float64
	// Budget is what bounds the retries to the host; the zero value is no bound.
	Budget retry.Budget

	free   float64 // requests a minute that no budget bounds: first attempts and transparent ones
	begins float64 // runs a minute that bring the budget tokens
}

// Add adds the rate of a probe that has the budget b; the zero value is none.
func (h *HostRate) Add(r Rate, b retry.Budget) {
	h.Well += r.Well
	h.Worst += r.Worst
	if b == (retry.Budget{}) {
		h.free += r.Worst
		return
	}
	h.Budget = b
	h.begins += r.Well
	h.free += r.uncharged()
}

// Bounded is the worst with the budget applied, and whether it is the budget that bounds it. A burst is spent
// once, and so does not count in the long run.
func (h *HostRate) Bounded() (worst float64, bound bool) {
	if h.Budget == (retry.Budget{}) {
		return h.Worst, false
	}
	most := h.free + h.tokens()
	return min(most, h.Worst), most < h.Worst
}

// Share is the worst of one of the host's probes, which may have all tokens of its host.
func (h *HostRate) Share(r Rate, b retry.Budget) float64 {
	if b == (retry.Budget{}) {
		return r.Worst
	}
	return min(r.Worst, r.uncharged()+h.tokens())
}

// uncharged is how many requests a minute cost no token.
func (r Rate) uncharged() float64 { return r.Well * float64(1+r.Resends) }

// tokens is how many retries a minute the budget allows in the long run.
func (h *HostRate) tokens() float64 { return h.Budget.Ratio*h.begins + 60*h.Budget.FloorPerSecond }
