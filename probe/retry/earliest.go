package retry

import (
	"iter"
	"time"
)

// Earliest is when each attempt of a run can begin at the earliest, counted from the run's start: every one
// before it fails at once, and chance makes the waits as short as can be. It does not regard Deadline: an attempt
// that could begin only then, or later, is never made. There are Attempts of them, and the first is 0.
func (p *Policy) Earliest() iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		var began, wait time.Duration
		for n := 1; yield(began) && n < p.Attempts; n++ {
			wait = p.Backoff.Wait(n, wait, 0)
			began = addSaturating(began, wait)
		}
	}
}

// Reachable is how many attempts a run can make at most: those that can begin before Deadline.
func (p *Policy) Reachable() (n int) {
	for began := range p.Earliest() {
		if p.Deadline > 0 && began >= p.Deadline {
			break
		}
		n++
	}
	return n
}
