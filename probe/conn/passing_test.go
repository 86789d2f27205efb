package conn_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// TestBehindOneThatShares has a host whose first in the queue waits for an HTTP/2 connection in the making, and
// whose next for a connection that another host gives back: it gets it then.
func TestBehindOneThatShares(t *testing.T) {
	for _, o := range []conn.Options{spare(2), {MaxConnections: 2}} {
		var w *world
		o.Dial = func(ctx context.Context, network, to string) (net.Conn, error) {
			if to == address {
				return nil, until(ctx, time.Hour)
			}
			return w.mem.Dial(ctx, network, to)
		}
		t.Run("", func(t *testing.T) {
			inBubble(t, o, func(world *world) {
				w = world
				w.open(1, time.Second)
				limits := probe.Limits{Total: 20 * time.Second}
				go w.try(try{route: h2cRoute(), limits: limits}) // makes the connection
				synctest.Wait()
				go w.try(try{route: h2cRoute(), limits: limits}) // shares it
				synctest.Wait()
				got := w.try(try{route: h2cRoute(), limits: limits, fresh: true})
				if got.Phase != probe.PhaseConnect || got.Phases[probe.PhaseQueue] != time.Second {
					t.Errorf("got %q in %v, %v in the queue: %v", got.Reason, got.Phase, got.Phases[probe.PhaseQueue], got.Err)
				}
			})
		})
	}
}
