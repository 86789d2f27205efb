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

// TestToldOfWhoIsBefore has one descriptor be free that nobody gets while a host waits that needs two.
func TestToldOfWhoIsBefore(t *testing.T) {
	inBubble(t, spare(2), func(w *world) {
		w.open(1, time.Minute)
		go w.try(try{route: w.named(), limits: probe.Limits{Total: 20 * time.Second}})
		synctest.Wait()
		got := w.get(at(1))
		const want = "limit connect (5s) passed while queued for a connection: probes hold 1 of the 2 file descriptors of the process's 64 " +
			"that they may have, and another host, which needs 2 more, waits before this one: " +
			"raise the limit of open files (ulimit -n, LimitNOFILE=)"
		if got.Reason != probe.ReasonLocalResource || got.Err.Error() != want {
			t.Errorf("got %q: %v\nwant %s", got.Reason, got.Err, want)
		}
	})
}
