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

// zone answers lookups in a bubble: each takes a second, and is counted.
type zone struct {
	asked  int
	ended  int // by their askers
	answer func(asked int) (time.Duration, error)
}

func (z *zone) lookup(ctx context.Context, _ string) ([]net.IP, time.Duration, error) {
	z.asked++
	ttl, err := z.answer(z.asked)
	select {
	case <-time.After(time.Second):
		return []net.IP{net.IPv4(192, 0, 2, 1)}, ttl, err
	case <-ctx.Done():
		z.ended++
		return nil, 0, context.Cause(ctx)
	}
}

func holds(ttl time.Duration) func(int) (time.Duration, error) {
	return func(int) (time.Duration, error) { return ttl, nil }
}

// named is a route to a name whose addresses are kept, on a fresh connection each time.
func named() *conn.Route {
	return &conn.Route{Address: "Host.example:80", Connection: probe.Connection{DNSCache: true}}
}

// inZone runs f in a world whose names are the zone's.
func inZone(t *testing.T, z *zone, f func(w *world)) {
	inBubble(t, conn.Options{LookupTTL: z.lookup}, func(w *world) {
		w.script(address, answering(ok200))
		f(w)
	})
}

// TestDNSCacheIsForThoseWhoWantIt sees that they ask once while an answer holds, and that others look names up
// themselves.
func TestDNSCacheIsForThoseWhoWantIt(t *testing.T) {
	z := &zone{answer: holds(time.Minute)}
	inZone(t, z, func(w *world) {
		w.mem.Hosts["Host.example"] = []net.IP{net.IPv4(192, 0, 2, 1)}
		for i, want := range []time.Duration{time.Second, 0} {
			if got := w.get(named()); !got.OK || got.Phases[probe.PhaseResolve] != want {
				t.Errorf("attempt %d: %v in resolve, %v, want %v", i, got.Phases[probe.PhaseResolve], got.Err, want)
			}
		}
		plain := named()
		plain.Connection.DNSCache = false
		delete(w.mem.Hosts, "Host.example")
		if got := w.get(plain); got.Reason != probe.ReasonDNSNotFound || z.asked != 1 {
			t.Errorf("got %q, %d lookups of the zone", got.Reason, z.asked)
		}
	})
}

// TestDNSCacheAsksOnce has many ask at a time; one goes away, and the others get the answer all the same.
func TestDNSCacheAsksOnce(t *testing.T) {
	z := &zone{answer: holds(time.Minute)}
	inZone(t, z, func(w *world) {
		results := make(chan tried, 10)
		for i := range cap(results) {
			limits := standard
			if i == 0 {
				limits.Connect = 500 * time.Millisecond
			}
			go func() { results <- w.try(try{route: named(), limits: limits}) }()
			synctest.Wait() // the first asks first
		}
		failed := 0
		for range cap(results) {
			if got := <-results; !got.OK {
				failed++
				if got.Reason != probe.ReasonLimitConnect || got.Phase != probe.PhaseResolve {
					t.Errorf("got %s@%s: %v", got.Reason, got.Phase, got.Err)
				}
			}
		}
		if failed != 1 || z.asked != 1 || z.ended != 0 {
			t.Errorf("%d failed, %d lookups, of which %d were ended; want 1, 1 and 0", failed, z.asked, z.ended)
		}
	})
}

// TestDNSCacheEnds sees that a lookup does not outlive its network.
func TestDNSCacheEnds(t *testing.T) {
	z := &zone{answer: holds(time.Minute)}
	inZone(t, z, func(w *world) {
		done := make(chan tried)
		go func() { done <- w.get(named()) }()
		time.Sleep(time.Millisecond)
		w.Close()
		if got := <-done; got.Reason != probe.ReasonCanceled || z.ended != 1 {
			t.Errorf("got %q, %d lookups were ended", got.Reason, z.ended)
		}
		if got := w.get(named()); got.Reason != probe.ReasonCanceled || z.asked != 1 {
			t.Errorf("after the end: got %q, %d lookups", got.Reason, z.asked)
		}
	})
}
