package conn_test

import (
	"context"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// TestTheAccount has very many calls of all sorts compete for few descriptors, and many of them give up: never
// are there more sockets than descriptors, everyone ends, and in the end nothing is held.
func TestTheAccount(t *testing.T) {
	t.Parallel()
	const few = 5
	for _, seed := range []uint64{1, 2, 3, 4, 5, 6} {
		counts := &slow{}
		o := spare(few)
		o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			if !strings.HasPrefix(address, "198.51.100.") {
				return counts.dial(ctx, network, address)
			}
			counts.add(0, 1, 0)
			defer counts.add(0, -1, 0)
			return nil, until(ctx, time.Minute)
		}
		bubble(t, o, func(w *world) {
			counts.Net = w.mem
			w.mem.Hosts["named.example"] = []net.IP{net.ParseIP("198.51.100.1"), net.ParseIP("198.51.100.2"), net.ParseIP("192.0.2.9")}
			w.mem.Hosts["one.example"] = []net.IP{net.ParseIP("192.0.2.3")}
			for i := range 10 {
				w.script(at(i).Address, (&slow{d: time.Duration(i) * 200 * time.Millisecond}).serve)
			}
			chance := rand.New(rand.NewPCG(seed, 0))
			var all sync.WaitGroup
			for range 400 {
				x := anyTry(chance)
				patience := time.Duration(chance.Int64N(int64(20 * time.Second)))
				start := time.Duration(chance.Int64N(int64(20 * time.Second)))
				all.Go(func() {
					time.Sleep(start)
					ctx, cancel := context.WithTimeout(w.t.Context(), patience)
					defer cancel()
					x.ctx = ctx
					if got := w.try(x); got.Reason.Blame() == probe.OfTarget && got.Reason != "" && !strings.Contains(x.route.Address, "named") && x.route.Version != conn.H2C {
						t.Errorf("%s failed for %s: %v", x.route.Address, got.Reason, got.Err)
					}
				})
			}
			watched := counts.watch()
			all.Wait()
			time.Sleep(time.Minute) // idle ones are not kept for longer
			if connections, files := w.Held(); connections != 0 || files != 0 {
				t.Errorf("seed %d: %d connections and %d descriptors are held", seed, connections, files)
			}
			if most := <-watched; most != few {
				t.Errorf("seed %d: up to %d sockets at a time, want %d", seed, most, few)
			}
		})
	}
}

// watch looks, until a minute has passed, at how many connections are open whenever nothing happens, and tells
// the most.
func (s *slow) watch() <-chan int {
	most := make(chan int, 1)
	go func() {
		n := 0
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(3*time.Millisecond + 17) {
			s.mu.Lock()
			n = max(n, s.open)
			s.mu.Unlock()
		}
		most <- n
	}()
	return most
}

// anyTry is an attempt of any sort.
func anyTry(chance *rand.Rand) try {
	r := at(chance.IntN(10))
	switch chance.IntN(6) {
	case 0:
		r.Address = "named.example:80"
	case 1:
		r.Address = "one.example:80"
	case 2:
		r.Version = conn.H2C // which they do not speak
	case 3:
		r.Connection.PerHost = 1
	}
	return try{route: r, limits: standard, fresh: chance.IntN(3) == 0}
}
