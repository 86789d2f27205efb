package conn_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"

	"sonde/probe/conn"
)

// fragile is a context that panics when it is asked whether it has ended, once.
type fragile struct {
	context.Context
	armed atomic.Bool
}

func (b *fragile) Err() error {
	if b.armed.Swap(false) {
		panic("a bug")
	}
	return b.Context.Err()
}

// asked is an error that says when it is asked what it is, as End does with the call's lock held.
type asked struct {
	error
	say func()
}

func (a asked) As(any) bool {
	a.say()
	return false
}

// A panic that leaves an HTTP/2 exchange in its midst leaves its stream to whoever reads the connection, and that
// touches the call with the lock of the frames held. By the time that the end asks the frames, with the lock of the
// call held, the stream is let go of: else the two would wait for each other for good.
func TestAPanicLeavesNoStreamToItsReader(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		ctx := &fragile{Context: context.Background()}
		w.http2Script(func(p *peer) {
			s := p.stream()
			ctx.armed.Store(true)
			p.WriteRSTStream(s, http2.ErrCodeInternal)
			p.rest()
		})
		c, times := w.Start(ctx, standard), 0
		defer func() {
			if v := recover(); v != "a bug" || times == 0 {
				t.Errorf("the round trip panicked with %v, want a bug; the error was asked %d times", v, times)
			}
		}()
		defer func() {
			c.End(asked{errors.New("the prober panicked"), func() {
				times++
				if n := w.Streams(); n != 0 {
					t.Errorf("%d streams are watched while the call's lock is held, want none", n)
				}
			}})
		}()
		_, err := c.RoundTrip(h2cRoute(), newRequest("GET", address), false)
		t.Errorf("the round trip ended with %v, want a panic", err)
	})
}
