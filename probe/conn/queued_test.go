package conn_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn/memnet"
)

// answersOnce answers the first connection's one request, and ends it after d; a later one gets silence.
func answersOnce(d time.Duration) func(c *memnet.Conn, r *bufio.Reader) {
	first := true
	return func(c *memnet.Conn, r *bufio.Reader) {
		answers := first
		first = false
		if _, err := request(r); err != nil || !answers {
			time.Sleep(5 * time.Minute)
			return
		}
		io.WriteString(c, ok200)
		time.Sleep(d)
	}
}

// TestQueuedTwice has an attempt queue for its host's one connection, which proves dead when it is there, and
// then for a descriptor: each time counts once, and what is left is the target's.
func TestQueuedTwice(t *testing.T) {
	const s = time.Second
	for _, row := range []struct {
		name   string
		total  time.Duration
		reason probe.Reason
	}{
		{"the target has had most of it", 40 * s, probe.ReasonLimitTotal},
		{"the queue has", 30 * s, probe.ReasonPoolTimeout},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, spare(2), func(w *world) {
				w.mem.Hosts["named.example"] = []net.IP{net.ParseIP("192.0.2.1")}
				w.script(address, answersOnce(7*s))
				r := route()
				r.Address, r.Connection.PerHost = "named.example:80", 1
				first := w.Start(w.t.Context(), probe.Limits{})
				resp, err := first.RoundTrip(r, newRequest("GET", r.Address), false)
				if err != nil {
					t.Fatal(err)
				}
				w.open(1, 11*s)
				done := make(chan tried, 1)
				go func() { done <- w.try(try{route: r, limits: probe.Limits{Total: row.total}}) }()
				synctest.Wait()
				time.Sleep(8 * s)
				_, err = io.ReadAll(resp.Body)
				first.End(err)
				got := <-done
				if got.Reason != row.reason || got.Phases[probe.PhaseQueue] != 11*s || got.took != row.total {
					t.Errorf("got %q after %v, %v in the queue: %v", got.Reason, got.took, got.Phases[probe.PhaseQueue], got.Err)
				}
			})
		})
	}
}

// TestAwaitedThenQueued has a call wait for an HTTP/2 connection that another makes in vain, then for a descriptor,
// and then for the target: only the second wait is ours.
func TestAwaitedThenQueued(t *testing.T) {
	var w *world
	o := spare(1)
	o.Dial = func(ctx context.Context, network, to string) (net.Conn, error) {
		if to == address {
			return nil, until(ctx, time.Hour)
		}
		return w.mem.Dial(ctx, network, to)
	}
	inBubble(t, o, func(world *world) {
		w = world
		w.script(at(2).Address, (&slow{d: time.Second}).serve)
		first, cancel := context.WithCancel(w.t.Context())
		done := make(chan tried, 1)
		go w.try(try{route: h2cRoute(), ctx: first})
		synctest.Wait()
		go w.try(try{route: at(2)})
		synctest.Wait()
		go func() { done <- w.try(try{route: h2cRoute(), limits: probe.Limits{Total: 20 * time.Second}}) }()
		time.Sleep(6 * time.Second)
		cancel()
		if got := <-done; got.Reason != probe.ReasonLimitTotal || got.Phase != probe.PhaseConnect || got.Phases[probe.PhaseQueue] != 7*time.Second {
			t.Errorf("got %q in %v, %v in the queue: %v", got.Reason, got.Phase, got.Phases[probe.PhaseQueue], got.Err)
		}
	})
}
