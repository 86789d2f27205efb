package script

import (
	"context"
	"math"
	"slices"
	"time"

	"sonde/probe"
)

// epoch is when every scripted run begins.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// never is a time that does not come.
const never = time.Duration(math.MaxInt64)

// clock is virtual time. It stands still unless the network or the engine moves it, both on the one
// goroutine of the run; so it needs no lock.
type clock struct {
	now    time.Duration // since epoch
	timers []*timer
}

type timer struct {
	at time.Duration
	f  func()
}

// Now is the time.
func (c *clock) Now() time.Time { return epoch.Add(c.now) }

// AfterFunc plans a call of f.
func (c *clock) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	t := &timer{at: c.after(d), f: f}
	c.timers = append(c.timers, t)
	return func() bool {
		i := slices.Index(c.timers, t)
		if i >= 0 {
			c.timers = slices.Delete(c.timers, i, i+1)
		}
		return i >= 0
	}
}

// Sleep moves the clock by d, or until ctx has ended.
func (c *clock) Sleep(ctx context.Context, d time.Duration) {
	for end := c.after(d); ctx.Err() == nil && c.now < end; {
		c.to(min(end, c.next()))
	}
}

// after is the time d from now.
func (c *clock) after(d time.Duration) time.Duration {
	if d > never-c.now {
		return never
	}
	return c.now + max(0, d)
}

// next is when the next timer is due, never without one.
func (c *clock) next() time.Duration {
	at := never
	for _, t := range c.timers {
		at = min(at, t.at)
	}
	return at
}

// to moves the clock and calls what is due by then, each on a goroutine of its own, as AfterFunc has
// it, but one after the other. A panic there is one of the run, whose goroutine this is.
func (c *clock) to(at time.Duration) {
	c.now = max(c.now, at)
	due := slices.Clone(c.timers)
	due = slices.DeleteFunc(due, func(t *timer) bool { return t.at > c.now })
	c.timers = slices.DeleteFunc(c.timers, func(t *timer) bool { return t.at <= c.now })
	slices.SortStableFunc(due, func(a, b *timer) int { return int(min(1, max(-1, a.at-b.at))) })
	for _, t := range due {
		panicked := make(chan *probe.PanicError, 1)
		go ring(t.f, panicked)
		if p := <-panicked; p != nil {
			panic(p)
		}
	}
}

// ring calls f, and tells what it has panicked with; nil when it has not.
func ring(f func(), panicked chan<- *probe.PanicError) {
	defer close(panicked)
	defer func() {
		if v := recover(); v != nil {
			panicked <- probe.Panicked(v)
		}
	}()
	f()
}
