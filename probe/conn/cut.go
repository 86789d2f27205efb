package conn

import (
	"context"
	"time"

	"sonde/probe/retry"
)

// cutWith ends the attempt with a cause, unless it has one already. What waits for the network ends at
// once. The lock is held.
func (c *Call) cutWith(cause error) { c.cutBy(&cause) }

func (c *Call) cutBy(cause *error) {
	if c.cause.CompareAndSwap(nil, cause) {
		c.sever()
	}
}

// sever ends what waits for the network. The lock is held.
func (c *Call) sever() {
	if c.cancel != nil {
		c.cancel(*c.cause.Load())
	}
	c.x.given.end()
	if c.dial != nil {
		c.dial.Close()
	}
	if c.outfitting != nil {
		c.outfitting.abort()
	}
	if l := c.x.link; l != nil && !c.x.left {
		c.cutOff(l)
	}
}

// cutOff ends the exchange on a connection. An HTTP/1 connection goes with it; an HTTP/2 connection does when
// giving up the stream gets stuck. The lock is held.
func (c *Call) cutOff(l *link) {
	switch {
	case !l.h2:
		l.abort()
	case c.unstick == nil:
		c.unstick = l.unstick(c)
	}
}

// unstuck says that the HTTP/2 client has given up the stream, or the caller is about to. The lock is held.
func (c *Call) unstuck() {
	c.x.left = true
	if c.unstick != nil {
		c.unstick.Stop()
	}
}

// isCut is true once the attempt was cut, or is over.
func (c *Call) isCut() bool { return c.cause.Load() != nil }

// shut cuts the attempt short: the network is being closed.
func (c *Call) shut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cutWith(errClosed)
}

// watcher is the call as its run tells it of the end. That ends the call, too.
type watcher struct{ *Call }

// Ended ends the call.
func (w watcher) Ended() { w.parentEnded() }

// unwatch says that the end of the parent is no longer of interest.
func (c *Call) unwatch() {
	switch {
	case c.watched:
		retry.Unwatch(c.parent, watcher{c})
	case c.stop != nil:
		c.stop()
	}
}

// calling is the context of a call. It has the values of Start's context, ends with the call's cause, and
// carries no deadline. The context that it stands for is made only when somebody waits for its end: most
// attempts ask nobody who takes a context.
type calling struct{ *Call }

// Deadline is none.
func (c calling) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done is closed with the call's end.
func (c calling) Done() <-chan struct{} { return c.context().Done() }

// Err is context.Canceled once the call has ended.
func (c calling) Err() error {
	if c.isCut() {
		return context.Canceled
	}
	return nil
}

// Value is of Start's context; or the call, for the dialler.
func (c calling) Value(key any) any {
	if key == (dialFor{}) {
		return c.Call
	}
	return c.context().Value(key)
}

// context makes the context that the call stands for.
func (c calling) context() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		c.made, c.cancel = context.WithCancelCause(context.WithoutCancel(c.parent))
		if cause := c.cause.Load(); cause != nil {
			c.cancel(*cause)
		}
	}
	return c.made
}
