package probe

import (
	"hash/fnv"
	"time"
)

// phase is a probe's place within its interval: FNV-1a of its name mod the interval. It depends on
// nothing else, so a restart keeps it, and probes of one interval are spread evenly.
func phase(name string, interval time.Duration) time.Duration {
	h := fnv.New64a()
	h.Write([]byte(name))
	return time.Duration(h.Sum64() % uint64(interval))
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
	into := (time.Duration(t.UnixNano()%int64(step)) - at + step) % step
	return t.Add(step - into)
}
