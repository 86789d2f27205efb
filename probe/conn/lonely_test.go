package conn_test

import (
	"bufio"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// TestBoundGoesWithItsAsker has an attempt with a bound to a host that nobody has claimed, while a connection without
// one is kept: the bound binds others while it goes on, and no longer.
func TestBoundGoesWithItsAsker(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, (&slow{d: time.Second}).serve)
		w.get(route())
		bounded := route()
		bounded.Connection.PerHost, bounded.Connection.Reuse = 1, false
		done := make(chan tried, 2)
		go w.get(bounded)
		synctest.Wait()
		for _, want := range []time.Duration{time.Second, 0} {
			for range 2 {
				go func() { done <- w.get(route()) }()
				synctest.Wait()
			}
			for range 2 {
				if got := <-done; !got.OK || got.Phases[probe.PhaseQueue] != want {
					t.Errorf("queued %v, want %v: %v", got.Phases[probe.PhaseQueue], want, got.Err)
				}
			}
		}
	})
}

// TestStaleOfManyShelves has a connection prove stale while connections of other routes to its host are idle, which
// go with it, and with them all that is known of those routes.
func TestStaleOfManyShelves(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			request(r)
			io.WriteString(c, ok200)
			request(r)
		})
		for i := range 3 {
			r := route()
			r.Connection.MaxAge += time.Duration(i)
			w.get(r)
		}
		if got := w.try(try{route: route(), method: "POST", body: "x"}); got.Reason != probe.ReasonStaleConnection {
			t.Errorf("got %q: %v", got.Reason, got.Err)
		}
		if open, _ := w.Held(); open != 0 {
			t.Errorf("%d connections are left", open)
		}
	})
}
