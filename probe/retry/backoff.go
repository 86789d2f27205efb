package retry

import "time"

// Wait is how long to wait after the n-th charged attempt (1 is the first), for u in [0, 1) drawn by
// chance and previous the wait before this one (0 when there was none). It never overflows, is never
// below 0, and never above Cap but for Additive, where Jitter comes on top unless CapIncludesJitter.
func (b Backoff) Wait(n int, previous time.Duration, u float64) time.Duration {
	switch b.Kind {
	case Full:
		return scale(b.Grown(n, b.Cap), u)
	case Equal:
		half := b.Grown(n, b.Cap) / 2
		return half + scale(half, u)
	case Decorrelated:
		return b.decorrelated(previous, u)
	}
	if b.CapIncludesJitter {
		grown := b.Grown(n, max(0, b.Cap)-max(0, b.Jitter))
		return min(max(0, b.Cap), addSaturating(grown, scale(b.Jitter, u)))
	}
	return addSaturating(b.Grown(n, b.Cap), scale(b.Jitter, u))
}

// Grown is min(limit, Base·2^(n−1)) for the n-th attempt, 1 being the first: what a wait is before
// chance. It doubles only while the double stays within the limit, so no number of attempts makes it overflow.
func (b Backoff) Grown(n int, limit time.Duration) time.Duration {
	d := min(b.Base, limit)
	if d <= 0 {
		return 0
	}
	for ; n > 1; n-- {
		if d > limit/2 {
			return limit
		}
		d *= 2
	}
	return d
}

// decorrelated grows from the previous wait, not from n; the first stands on base.
func (b Backoff) decorrelated(previous time.Duration, u float64) time.Duration {
	if previous <= 0 {
		previous = b.Base
	}
	spread := 3*float64(previous) - float64(b.Base)
	wait := max(0, float64(b.Base)+u*max(0, spread))
	if wait >= float64(b.Cap) {
		return max(0, b.Cap)
	}
	return time.Duration(wait)
}

// scale is d·u, and 0 of a d below 0.
func scale(d time.Duration, u float64) time.Duration {
	return min(max(0, d), time.Duration(float64(max(0, d))*u))
}

func addSaturating(a, b time.Duration) time.Duration {
	if sum := a + b; sum >= a {
		return sum
	}
	return 1<<63 - 1
}
