package probe

import "time"

// phase is a probe's place within its interval: FNV-1a of its name mod the interval. It depends on
// nothing else, so a restart keeps it, and probes of one interval are spread evenly. The hash is
// written out because hash/fnv would allocate at every due time.
func phase(name string, interval time.Duration) time.Duration {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime
	}
	return time.Duration(h % uint64(interval))
}

// NextDue is the first instant after t at which a probe is due: the wall clock, in nanoseconds since
// 1970, is the probe's phase mod its interval. The interval must be above 0.
func NextDue(name string, interval time.Duration, t time.Time) time.Time {
	return nextAt(phase(name, interval), interval, t)
}

// FirstDue is when a probe that joins the running set at t runs first: as NextDue, but with a step of
// at most one minute, so that a probe of a day's interval is seen to work within the first minute.
func FirstDue(name string, interval time.Duration, t time.Time) time.Time {
	step := min(interval, time.Minute)
	return nextAt(phase(name, interval)%step, step, t)
}

// nextAt is the first instant after t that is at, mod step.
func nextAt(at, step time.Duration, t time.Time) time.Time {
	into := (time.Duration(t.UnixNano()%int64(step)) - at) % step
	if into < 0 {
		into += step
	}
	return t.Add(step - into)
}
