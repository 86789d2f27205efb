package conn_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
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

// finishesDead begins an attempt at a host with one connection. It ends after 8s, by when the connection it gives back
// has ended, and until 11s a descriptor is lacking for another.
func (w *world) finishesDead() (r *conn.Route, finish func()) {
	w.script(address, answersOnce(7*time.Second))
	r = w.named()
	r.Connection.PerHost = 1
	c := w.Start(w.t.Context(), probe.Limits{})
	resp, err := c.RoundTrip(r, newRequest(http.MethodGet, r.Address), false)
	if err != nil {
		w.t.Fatal(err)
	}
	w.open(1, 11*time.Second)
	return r, func() {
		time.Sleep(8 * time.Second)
		_, err := io.ReadAll(resp.Body)
		c.End(err)
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
				r, finish := w.finishesDead()
				done := make(chan tried, 1)
				go func() { done <- w.try(try{route: r, limits: probe.Limits{Total: row.total}}) }()
				synctest.Wait()
				finish()
				got := <-done
				if got.Reason != row.reason || got.Phases[probe.PhaseQueue] != 11*s || got.took != row.total {
					t.Errorf("got %q after %v, %v in the queue: %v", got.Reason, got.took, got.Phases[probe.PhaseQueue], got.Err)
				}
			})
		})
	}
}

// TestTurnIsKept has the same while another is queued behind it: the second time it is still the first.
func TestTurnIsKept(t *testing.T) {
	inBubble(t, spare(2), func(w *world) {
		r, finish := w.finishesDead()
		var done [2]chan tried
		for i := range done {
			done[i] = make(chan tried, 1)
			go func() { done[i] <- w.try(try{route: r, limits: probe.Limits{Total: 30 * time.Second}}) }()
			synctest.Wait()
		}
		finish()
		for i, want := range []time.Duration{11 * time.Second, 30 * time.Second} {
			got := <-done[i]
			if got.Phases[probe.PhaseQueue] != want || strings.Contains(got.Err.Error(), "queued for a connection, after") {
				t.Errorf("attempt %d was queued %v, want %v: %v", i, got.Phases[probe.PhaseQueue], want, got.Err)
			}
		}
	})
}

// TestAwaitedThenQueued has a call wait for an HTTP/2 connection that another makes in vain, then for a descriptor,
// and then for the target: only the second wait is ours.
func TestAwaitedThenQueued(t *testing.T) {
	inVain(t, time.Second, func(w *world, giveUp func()) {
		done := make(chan tried, 1)
		go func() { done <- w.try(try{route: h2cRoute(), limits: probe.Limits{Total: 20 * time.Second}}) }()
		time.Sleep(6 * time.Second)
		giveUp()
		if got := <-done; got.Reason != probe.ReasonLimitTotal || got.Phase != probe.PhaseConnect || got.Phases[probe.PhaseQueue] != 7*time.Second {
			t.Errorf("got %q in %v, %v in the queue: %v", got.Reason, got.Phase, got.Phases[probe.PhaseQueue], got.Err)
		}
	})
}
