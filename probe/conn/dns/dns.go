// Package dns says what a name stands for. It asks the name servers of the machine by Go's own resolver, tells what
// that keeps to itself (that it was we who had no descriptor left, and for how long an answer holds), and keeps
// answers for those who want that. It knows nothing of what the addresses are for, of attempts, or of their limits:
// who asks bounds the wait by a context.
//
// # The contract
//
// A lookup returns at least one address, in the order of the resolver, or an error:
//
//   - *net.DNSError, of what the name servers have said or not said: no such name (IsNotFound, also of a name that has
//     no address), silence (IsTimeout), a failure of the moment (IsTemporary), any other.
//   - The same, and in its chain an error of Options.Dial beside it, where Options.Shortage was true of that: then it
//     says nothing of the name servers.
//   - *probe.PanicError, of a panic of Options.Dial, of Options.Lookup and LookupTTL where answers are kept, or in what
//     reads the answers here. It ends the lookup, and no more.
//   - What Options.Lookup and LookupTTL return, as it is.
//   - Once the asker's context has ended, its cause of LookupKept, and of Lookup what Go's resolver makes of that, a
//     *net.DNSError.
//   - ErrClosed, after Close.
//
// Addresses are of whoever answers, and so are hostile: they are bounded by what fits into a message of DNS, or by what
// /etc/hosts has. Answers are kept for five minutes at most whatever they say, 65,536 names of them.
//
// # The files, by subject
//
//   - The door: dns.go.
//   - One lookup: resolver.go (Go's resolver, told how to connect), report.go (what a lookup met beside its answer).
//   - For how long its answer holds: ttl.go (of a whole lookup), message.go (of one message), observe.go (the messages,
//     as they pass).
//   - What is kept, and who waits for whom: cache.go.
package dns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"sonde/probe"
)

// ErrClosed is what a lookup gets whose Resolver was closed.
var ErrClosed = errors.New("the resolver is closed")

// Options are what a Resolver is made with; the zero value is the ordinary one.
type Options struct {
	// Dial connects to a name server; nil is the kernel's. It is called on goroutines of Go's resolver, and must
	// return when its context ends. A net.PacketConn that it returns must be a *net.UDPConn, as the kernel's is.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Shortage reports whether an error of Dial says that something of ours is used up, such as descriptors. A lookup
	// that has met one and fails wraps the first of them. nil is of no error.
	Shortage func(error) bool
	// Lookup takes the place of Go's resolver; nil is that.
	Lookup func(ctx context.Context, host string) ([]net.IP, error)
	// LookupTTL takes its place where answers are kept, and tells for how long one holds; 0 is not at all. nil is Go's
	// resolver or, where Lookup is given, that, of which nothing is kept.
	LookupTTL func(ctx context.Context, host string) ([]net.IP, time.Duration, error)
	// Bug is told of a panic on a goroutine of a lookup for which nobody waits any more; nil lets it end the process.
	// It may be called at any time, by several at a time, and must not call the Resolver.
	Bug func(*probe.PanicError)
}

// Resolver looks names up. It may be used by several goroutines at a time, and has none of its own while no name is
// looked up.
type Resolver struct {
	lookup func(ctx context.Context, host string) ([]net.IP, error)
	cache  cache
}

// New makes a Resolver.
func New(o Options) *Resolver {
	if o.Dial == nil {
		o.Dial = new(net.Dialer).DialContext
	}
	if o.Shortage == nil {
		o.Shortage = func(error) bool { return false }
	}
	if o.Bug == nil {
		o.Bug = func(p *probe.PanicError) { panic(fmt.Sprintf("%v\n\n%s", p.Value, p.Stack)) }
	}
	r := &Resolver{lookup: o.Lookup}
	if r.lookup == nil {
		r.lookup = o.resolver(o.Dial)
	}
	r.cache = cache{ask: o.timed(), bug: o.Bug, answers: map[string]answer{}, lookups: map[string]*lookup{}}
	return r
}

// timed is how names are looked up whose answers are kept.
func (o *Options) timed() timedLookup {
	switch {
	case o.LookupTTL != nil:
		return o.LookupTTL
	case o.Lookup == nil:
		return o.timedResolver()
	}
	return func(ctx context.Context, host string) ([]net.IP, time.Duration, error) {
		ips, err := o.Lookup(ctx, host)
		return ips, 0, err
	}
}

// Lookup returns the addresses of a host, which is not an address itself. Each call asks for itself, on the goroutine
// of its caller, and keeps nothing; Close neither ends nor refuses it.
func (r *Resolver) Lookup(ctx context.Context, host string) ([]net.IP, error) {
	ips, err := r.lookup(ctx, host)
	return atLeastOne(host, ips, err)
}

// LookupKept is Lookup of an answer that is kept for as long as it holds; failures are not. Who asks for a name that
// is being looked up waits for that answer. The addresses are shared: nobody may change them.
func (r *Resolver) LookupKept(ctx context.Context, host string) ([]net.IP, error) {
	ips, err := r.cache.lookup(ctx, host)
	return atLeastOne(host, ips, err)
}

// Close ends every lookup whose answer was to be kept, and waits until none goes on. Later ones fail with ErrClosed,
// unless their answer is at hand.
func (r *Resolver) Close() { r.cache.close() }

func atLeastOne(host string, ips []net.IP, err error) ([]net.IP, error) {
	if err == nil && len(ips) == 0 {
		return nil, &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	return ips, err
}
