package conn

import (
	"sync/atomic"
	"time"
)

// timer fires for one call after the other. It is kept between them, for making one takes memory, twice.
type timer struct {
	*time.Timer
	call atomic.Pointer[Call] // nil while it is nobody's
}

// timer is one for a call, not set.
func (n *Network) timer(c *Call) *timer {
	t, ok := n.timers.Get().(*timer)
	if !ok {
		t = &timer{}
		t.Timer = time.AfterFunc(never, t.fire)
	}
	t.call.Store(c)
	return t
}

// never is what a timer is set to that is not set.
const never = 1<<63 - 1

// rest takes a timer back. One that fires at this moment is let go. One that fired before it was set the last
// time may have its call look for what is due in vain, be it the next.
func (n *Network) rest(t *timer) {
	t.call.Store(nil)
	if t.Stop() {
		n.timers.Put(t)
	}
}

func (t *timer) fire() {
	if c := t.call.Load(); c != nil {
		c.tick()
	}
}
