package conn_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// at is a route to one of several hosts.
func at(i int) *conn.Route {
	r := route()
	r.Address = fmt.Sprintf("192.0.2.%d:80", i)
	return r
}

// spare are options for so many descriptors.
func spare(n int) conn.Options {
	return conn.Options{Descriptors: conn.Descriptors{Spare: n, Limit: 64}}
}

// open leaves the routes to so many hosts, from the first, in the middle of an attempt that lasts.
func (w *world) open(n int, lasts time.Duration) {
	for i := range n {
		w.script(at(i).Address, (&slow{d: lasts}).serve)
		go w.try(try{route: at(i)})
		synctest.Wait()
	}
}

// TestIdleGivesWay has new connections take the descriptors of idle ones, of which none waits.
func TestIdleGivesWay(t *testing.T) {
	counts := &slow{}
	o := spare(2)
	o.Dial = counts.dial
	inBubble(t, o, func(w *world) {
		counts.Net = w.mem
		w.mem.Hosts["named.example"] = []net.IP{net.ParseIP("192.0.2.0")}
		named := route()
		named.Address = "named.example:80"
		for i := range 4 {
			w.script(at(i).Address, (&slow{}).serve)
		}
		for i, r := range []*conn.Route{at(0), at(1), at(2), named, at(3), at(3)} {
			if got := w.get(r); !got.OK || got.took != 0 || got.Reused != (i == 5) {
				t.Errorf("attempt %d: reused %v after %v: %v", i, got.Reused, got.took, got.Err)
			}
		}
		if counts.most != 2 {
			t.Errorf("%d connections at a time, want 2", counts.most)
		}
	})
}

// TestNamesAreNotPassedBy has a name, which takes two descriptors, wait for them while others come that need but
// one; and once it has given up, those get it.
func TestNamesAreNotPassedBy(t *testing.T) {
	for _, row := range []struct {
		name                string
		patience            time.Duration
		named, queued, late time.Duration // until the name has failed or passed; how long the others wait
	}{
		{"it waits", time.Minute, 20 * time.Second, 20 * time.Second, 20 * time.Second},
		{"it gives up", 5 * time.Second, 5 * time.Second, 5 * time.Second, 5 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, spare(2), func(w *world) {
				w.open(1, 20*time.Second)
				w.script(at(1).Address, (&slow{}).serve)
				w.mem.Hosts["named.example"] = []net.IP{net.ParseIP("192.0.2.1")}
				named, other := make(chan tried, 1), make(chan tried, 1)
				r := route()
				r.Address = "named.example:80"
				go func() { named <- w.try(try{route: r, limits: probe.Limits{Connect: row.patience}}) }()
				synctest.Wait()
				go func() { other <- w.try(try{route: at(1)}) }()
				if got := <-named; got.took != row.named {
					t.Errorf("the name took %v: %v", got.took, got.Err)
				}
				if got := <-other; !got.OK || got.Phases[probe.PhaseQueue] != row.queued {
					t.Errorf("the other was queued for %v: %v", got.Phases[probe.PhaseQueue], got.Err)
				}
			})
		})
	}
}

// TestManyAddresses has a name with three addresses, of which two are silent: the third takes one descriptor
// more, which an idle connection may have to give; while there is none, the target is not to blame.
func TestManyAddresses(t *testing.T) {
	for _, row := range []struct {
		name   string
		spare  int
		idle   bool
		busy   time.Duration // for how long a connection is in use; 0 is none
		reason probe.Reason
		took   time.Duration
	}{
		{"there is one", 3, false, 0, "", 500 * time.Millisecond},
		{"an idle one gives way", 3, true, 0, "", 500 * time.Millisecond},
		{"one comes in time", 3, false, 1900 * time.Millisecond, "", 2 * time.Second},
		{"none comes", 3, false, time.Minute, probe.ReasonLocalResource, 5 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			var w *world
			o := spare(row.spare)
			o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				if strings.HasPrefix(address, "198.51.100.") {
					return nil, until(ctx, time.Hour)
				}
				return w.mem.Dial(ctx, network, address)
			}
			inBubble(t, o, func(world *world) {
				w = world
				w.mem.Hosts["named.example"] = []net.IP{net.ParseIP("198.51.100.1"), net.ParseIP("198.51.100.2"), net.ParseIP("192.0.2.9")}
				w.script(at(9).Address, (&slow{}).serve)
				if row.idle || row.busy > 0 {
					w.open(1, row.busy)
				}
				r := route()
				r.Address = "named.example:80"
				got := w.get(r)
				if got.Reason != row.reason || got.took != row.took {
					t.Errorf("got %q after %v: %v", got.Reason, got.took, got.Err)
				}
				if row.reason != "" && !strings.Contains(got.Err.Error(), "probes hold 3 of the 3 file descriptors") {
					t.Errorf("got %v", got.Err)
				}
			})
		})
	}
}

// TestKernelHasNoDescriptors has the kernel refuse sockets while idle connections hold too many: they give way.
func TestKernelHasNoDescriptors(t *testing.T) {
	counts := &slow{}
	most := 3
	inBubble(t, conn.Options{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		counts.mu.Lock()
		full := counts.open >= most
		counts.mu.Unlock()
		if full {
			return nil, os.NewSyscallError("socket", syscall.ENFILE)
		}
		return counts.dial(ctx, network, address)
	}}, func(w *world) {
		counts.Net = w.mem
		for i := range 5 {
			w.script(at(i).Address, (&slow{}).serve)
		}
		for i := range 3 {
			w.get(at(i))
		}
		most = 1 // somebody else takes two
		if got := w.get(at(3)); !got.OK || counts.open != 1 {
			t.Errorf("%d connections are open: %v", counts.open, got.Err)
		}
		most = 0
		if got := w.get(at(4)); got.Reason != probe.ReasonLocalResource || got.took != 0 || counts.open != 0 {
			t.Errorf("got %q after %v, %d are open: %v", got.Reason, got.took, counts.open, got.Err)
		}
	})
}

// inVain has a call make an HTTP/2 connection, of which nothing is heard, until it is given up, and then another
// wait for the one descriptor, which it has and keeps for a time before its target answers.
func inVain(t *testing.T, kept time.Duration, f func(w *world, giveUp func())) {
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
		w.script(at(2).Address, (&slow{d: kept}).serve)
		first, giveUp := context.WithCancel(w.t.Context())
		go w.try(try{route: h2cRoute(), ctx: first})
		synctest.Wait()
		go w.try(try{route: at(2)})
		synctest.Wait()
		f(w, giveUp)
	})
}

// TestAwaitedThenScarce has a call wait for an HTTP/2 connection that another makes in vain, and then for a
// descriptor that a third has taken: in the end it is not the target that it waits for.
func TestAwaitedThenScarce(t *testing.T) {
	inVain(t, time.Minute, func(w *world, giveUp func()) {
		done := make(chan tried, 1)
		go func() { done <- w.get(h2cRoute()) }()
		time.Sleep(2 * time.Second)
		giveUp()
		if got := <-done; got.Reason != probe.ReasonLocalResource || got.Phase != probe.PhaseQueue || got.took != 5*time.Second {
			t.Errorf("got %q in %v after %v: %v", got.Reason, got.Phase, got.took, got.Err)
		}
	})
}
