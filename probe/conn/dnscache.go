package conn

import (
	"context"
	"net"
	"strings"
	"sync"
	"time"

	"sonde/probe"
)

// What is kept of names: how many, and for how long at most, whatever their answers say.
const (
	maxCached = 1 << 16
	maxTTL    = 5 * time.Minute
)

// lookupTTL is a lookup that tells for how long its answer holds; 0 is not at all.
type lookupTTL func(ctx context.Context, host string) ([]net.IP, time.Duration, error)

// names keeps the answers of lookups for as long as they hold. Failures are not kept. Who asks for a name that
// is being looked up waits for that answer; a lookup that nobody waits for any more is ended, and harms nobody
// who asks after that.
type names struct {
	lookup lookupTTL
	// hold and done count lookups that go on, for whoever waits for their end; hold refuses one that must not begin.
	hold func() bool
	done func()
	// stray is told of a panic for which nobody waits.
	stray func(*probe.PanicError)

	mu      sync.Mutex
	kept    map[string]answer
	flights map[string]*flight
}

// answer is what a name stands for until it ends.
type answer struct {
	ips  []net.IP
	ends time.Time
}

// flight is a lookup that goes on.
type flight struct {
	cancel  context.CancelCauseFunc
	over    chan struct{} // closed when ips and err are there
	ips     []net.IP
	err     error
	waiting int // under names.mu
}

// lookupTTL is how names are looked up whose answers are kept; dial connects to name servers.
func (o *Options) lookupTTL(dial dialFunc, stray func(*probe.PanicError)) lookupTTL {
	switch {
	case o.LookupTTL != nil:
		return o.LookupTTL
	case o.Lookup == nil:
		return timedResolver(dial, stray)
	}
	return func(ctx context.Context, host string) ([]net.IP, time.Duration, error) {
		ips, err := o.Lookup(ctx, host)
		return ips, 0, err
	}
}

// newNames keeps the answers of a lookup.
func (n *Network) newNames(lookup lookupTTL) *names {
	return &names{
		lookup: lookup, hold: n.hold, done: n.open.Done, stray: n.stray, kept: map[string]answer{}, flights: map[string]*flight{},
	}
}

// ask is what a name stands for. It returns early when ctx ends, with its cause.
func (n *names) ask(ctx context.Context, host string) ([]net.IP, error) {
	host = strings.ToLower(host)
	n.mu.Lock()
	if a, ok := n.kept[host]; ok && time.Now().Before(a.ends) {
		n.mu.Unlock()
		return a.ips, nil
	}
	f := n.flights[host]
	if f == nil {
		if f = n.begin(host); f == nil {
			n.mu.Unlock()
			return nil, errClosed
		}
	}
	f.waiting++
	n.mu.Unlock()
	select {
	case <-f.over:
		return f.ips, f.err
	case <-ctx.Done():
		n.leave(host, f)
		return nil, context.Cause(ctx)
	}
}

// begin starts a lookup; nil when none must begin any more. The lock is held.
func (n *names) begin(host string) *flight {
	if !n.hold() {
		return nil
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	f := &flight{cancel: cancel, over: make(chan struct{})}
	n.flights[host] = f
	go n.fly(ctx, host, f)
	return f
}

// fly looks a name up.
func (n *names) fly(ctx context.Context, host string, f *flight) {
	defer n.done()
	defer f.cancel(nil)
	ips, ttl, err := n.seek(ctx, host)
	awaited := n.land(host, f, ips, ttl, err)
	if p := bugIn(err); p != nil && !awaited {
		n.stray(p)
	}
}

// land ends a lookup, and is true when somebody waits for it.
func (n *names) land(host string, f *flight, ips []net.IP, ttl time.Duration, err error) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	f.ips, f.err = ips, err
	if n.flights[host] == f {
		delete(n.flights, host)
		n.keep(host, ips, ttl, err)
	}
	close(f.over)
	return f.waiting > 0
}

// seek is lookup, whose panic is an error: that of each attempt that waits for the name.
func (n *names) seek(ctx context.Context, host string) (ips []net.IP, ttl time.Duration, err error) {
	defer caught(&err)
	return n.lookup(ctx, host)
}

// keep keeps an answer that holds for a while. The lock is held.
func (n *names) keep(host string, ips []net.IP, ttl time.Duration, err error) {
	delete(n.kept, host)
	if err != nil || len(ips) == 0 || ttl <= 0 {
		return
	}
	if len(n.kept) >= maxCached {
		n.spare()
	}
	n.kept[host] = answer{ips, time.Now().Add(min(ttl, maxTTL))}
}

// spare makes room for one more: an answer that holds no longer or, of a few, any. The lock is held.
func (n *names) spare() {
	const looks = 16
	now, seen := time.Now(), 0
	for host, a := range n.kept {
		if seen++; seen == looks || !now.Before(a.ends) {
			delete(n.kept, host)
			return
		}
	}
}

// leave is of one who no longer waits for a lookup.
func (n *names) leave(host string, f *flight) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel(errNobodyWaits)
		if n.flights[host] == f {
			delete(n.flights, host)
		}
	}
}

// end ends every lookup that goes on.
func (n *names) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, f := range n.flights {
		f.cancel(errClosed)
	}
}
