package kinds

import (
	"sync"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// claim is a prober's claim to the connections of its route. It is taken with the first attempt, not when the prober is
// made: of the probers that a reload makes most are closed without an attempt, because their probes have not changed.
// A claim of theirs would have to be given up again, and until then connections were kept for runs that never come.
type claim struct {
	mu  sync.Mutex
	use conn.Claim
}

func (c *claim) take(n conn.Starter, r *conn.Route) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.use == nil {
		c.use = n.Use(r)
	}
}

func (c *claim) rest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.use != nil {
		c.use.Rest()
	}
}

func (c *claim) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.use != nil {
		c.use.Release()
		c.use = nil
	}
}

// due says when the probe of env runs next after a time; nil when it never does by itself.
func due(env probe.Env) func(time.Time) time.Time {
	if env.Interval <= 0 {
		return nil
	}
	name, interval := env.Probe, env.Interval
	return func(t time.Time) time.Time { return probe.NextDue(name, interval, t) }
}
