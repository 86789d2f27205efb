package conn_test

import (
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// named is a route to a name, which takes two descriptors.
func (w *world) named() *conn.Route {
	w.mem.Hosts["named.example"] = []net.IP{net.ParseIP("192.0.2.1")}
	r := route()
	r.Address = "named.example:80"
	return r
}

// queueAtForgotten has an attempt wait for descriptors at a host whose last connection has gone for it: it has proved
// dead, or has made room for the fresh one that is wanted. The attempt comes to done.
func (w *world) queueAtForgotten(fresh bool, done chan<- tried) {
	w.script(address, answersOnce(0))
	r := w.named()
	r.Connection.PerHost = 1
	w.get(r)
	w.open(1, 2*time.Second)
	go func() { done <- w.try(try{route: r, limits: standard, fresh: fresh}) }()
	synctest.Wait()
}

// TestQueuedAtForgotten has a second attempt come to a host that has nothing but one that is queued there, and then
// the network close: the host is known, and has one queue.
func TestQueuedAtForgotten(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		t.Run(fmt.Sprint("fresh ", fresh), func(t *testing.T) {
			inBubble(t, spare(2), func(w *world) {
				done := make(chan tried, 2)
				w.queueAtForgotten(fresh, done)
				go func() { done <- w.get(w.named()) }()
				synctest.Wait()
				if hosts, queued := w.Queued(); hosts != 2 || queued != 2 {
					t.Errorf("%d are queued at %d hosts, want 2 at 2", queued, hosts)
				}
				w.Close()
				synctest.Wait()
				for range 2 {
					if got := <-done; got.Reason != probe.ReasonCanceled {
						t.Errorf("got %q: %v", got.Reason, got.Err)
					}
				}
			})
		})
	}
}
