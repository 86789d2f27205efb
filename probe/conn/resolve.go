package conn

import (
	"context"
	"net"
	"net/netip"

	"sonde/probe"
)

// resolver is Go's own resolver, which connects to name servers by dial: the C library's would change what its
// failures look like. It works on goroutines of its own; a panic of what it calls of ours is the lookup's error or,
// when that is over, stray's. Each lookup has one for itself. One for all would ask once for those that look a name up
// at the same time, and tell only the first of them what of ours was used up: the others would blame the target. Of the
// 11,700 bytes that a lookup takes that would save 320; to ask less there is Connection.DNSCache.
func resolver(dial dialFunc, stray func(*probe.PanicError)) func(ctx context.Context, host string) ([]net.IP, error) {
	dial = asking(dial, stray)
	return func(ctx context.Context, host string) ([]net.IP, error) {
		r, n := &net.Resolver{PreferGo: true, Dial: dial}, &note{stray: stray}
		ips, err := r.LookupIP(context.WithValue(ctx, noteKey{}, n), "ip", host)
		return ips, n.amend(err)
	}
}

// asking connects to a name server. The resolver leaves a question that nobody waits for any more to
// its own timeout of many seconds; here it ends at once. That timeout itself, a deadline of the connection,
// is left to fire, since what it gives is told from what a connection gives that is closed.
func asking(dial dialFunc, stray func(*probe.PanicError)) dialFunc {
	return func(ctx context.Context, network, address string) (c net.Conn, err error) {
		n := noteOf(ctx, stray)
		defer n.caught(&err)
		if c, err = dial(ctx, network, address); err != nil {
			n.say(err)
			return nil, err
		}
		context.AfterFunc(ctx, func() {
			defer n.guard()
			if ctx.Err() == context.Canceled {
				c.Close()
			}
		})
		return c, nil
	}
}

type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// resolve is phase resolve: the addresses of a host:port, interleaved by family as RFC 8305 has it. A
// literal IP is its own address. With kept an answer that was had before serves for as long as it holds.
func (c *Call) resolve(address string, kept bool) ([]string, error) {
	c.to(probe.PhaseResolve, numLimits, numLimits)
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &addressError{err}
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return []string{address}, nil
	}
	c.arm()
	lookup := c.net.lookup
	if kept {
		lookup = c.net.names.ask
	}
	ips, err := lookup(c.ctx, host)
	if err != nil {
		return nil, c.failed(err)
	}
	if len(ips) == 0 {
		return nil, &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	return interleave(ips, port), nil
}

// addressError is an address that is not host:port.
type addressError struct{ error }

func (e *addressError) Unwrap() error { return e.error }

// interleave takes turns between the family of the first address and the other.
func interleave(ips []net.IP, port string) []string {
	var families [2][]string
	first := ips[0].To4() != nil
	for _, ip := range ips {
		f := 1
		if (ip.To4() != nil) == first {
			f = 0
		}
		families[f] = append(families[f], net.JoinHostPort(ip.String(), port))
	}
	var out []string
	for i := 0; len(out) < len(ips); i++ {
		for _, family := range families {
			if i < len(family) {
				out = append(out, family[i])
			}
		}
	}
	return out
}
