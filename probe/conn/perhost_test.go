package conn_test

import (
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// The bound of a host is the same for all who ask, so that none waits for as long as the others are busy. Those who
// have claimed the host say what it is; beside them others, whom redirects lead there, have no say.
func TestPerHostIsTheHosts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		bounds  [2]int  // of two routes
		claimed [2]bool // whether there is a claim to each
		most    int     // connections at a time

	}{
		{name: "a bound and none, nobody claims", bounds: [2]int{1, 0}, most: 1},
		{name: "two bounds, nobody claims", bounds: [2]int{3, 2}, most: 2},
		{name: "a bound is claimed", bounds: [2]int{2, 0}, claimed: [2]bool{true, false}, most: 2},
		{name: "none is claimed", bounds: [2]int{0, 1}, claimed: [2]bool{true, false}, most: 6},
		{name: "both are claimed", bounds: [2]int{2, 0}, claimed: [2]bool{true, true}, most: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			counts := &slow{}
			inBubble(t, conn.Options{Dial: counts.dial}, func(w *world) {
				s := &slow{d: time.Second / 2}
				counts.Net = w.mem
				w.script(address, s.serve)
				var routes [2]*conn.Route
				for i := range routes {
					routes[i] = route()
					routes[i].Connection.PerHost = c.bounds[i]
					if c.claimed[i] {
						defer w.Use(routes[i]).Release()
					}
				}
				const runs = 6
				done := make(chan tried, runs)
				for i := range runs {
					go func() { done <- w.get(routes[i%2]) }()
					synctest.Wait()
				}
				for i := range runs {
					got, want := <-done, time.Duration(i/c.most)*s.d
					if !got.OK || got.Phases[probe.PhaseQueue] != want {
						t.Errorf("attempt %d was queued %v, want %v: %v", i, got.Phases[probe.PhaseQueue], want, got.Err)
					}
				}
				if counts.most != c.most {
					t.Errorf("%d connections were open at a time, want %d", counts.most, c.most)
				}
			})
		})
	}
}

// TestClaimServes has a claim say that a host has a higher bound than those have said who are queued there.
func TestClaimServes(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, (&slow{d: 3 * time.Second}).serve)
		r := route()
		r.Connection.PerHost = 1
		done := make(chan tried, 2)
		for range 2 {
			go func() { done <- w.get(r) }()
			synctest.Wait()
		}
		time.Sleep(time.Second)
		defer w.Use(route()).Release()
		<-done
		if got := <-done; !got.OK || got.Phases[probe.PhaseQueue] != time.Second {
			t.Errorf("queued %v, want 1s: %v", got.Phases[probe.PhaseQueue], got.Err)
		}
	})
}

// TestPerHostOfRaw has a host that protocols of kinds' own speak to: their bound binds others while one of
// their connections is open, and no longer.
func TestPerHostOfRaw(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, (&slow{d: time.Second}).serve)
		r := route()
		r.Connection.PerHost = 1
		raw := w.Start(w.t.Context(), probe.Limits{})
		c, err := raw.Dial(r)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(2*time.Second, func() { c.Close() })
		done := make(chan tried, 2)
		for range 2 {
			go func() { done <- w.get(route()) }()
			synctest.Wait()
		}
		for range 2 {
			if got := <-done; !got.OK || got.Phases[probe.PhaseQueue] != 2*time.Second {
				t.Errorf("queued %v, want 2s: %v", got.Phases[probe.PhaseQueue], got.Err)
			}
		}
		raw.End(nil)
	})
}
