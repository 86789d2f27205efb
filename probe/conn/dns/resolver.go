package dns

import (
	"context"
	"net"
)

// dialFunc connects to a name server.
type dialFunc = func(ctx context.Context, network, address string) (net.Conn, error)

// resolver is Go's own resolver, which connects to name servers by dial: the C library's would change what its
// failures look like. It works on goroutines of its own; a panic of what it calls of ours is the lookup's error or,
// when that is over, Bug's. Each lookup has one for itself. One for all would ask once for those that look a name up
// at the same time, and tell only the first of them what of ours was used up: the others would blame the name servers.
// Of the 11,700 bytes that a lookup takes that would save 320; to ask less there is LookupKept.
func (o *Options) resolver(dial dialFunc) func(ctx context.Context, host string) ([]net.IP, error) {
	dial = o.asking(dial)
	return func(ctx context.Context, host string) ([]net.IP, error) {
		r, met := &net.Resolver{PreferGo: true, Dial: dial}, &report{bug: o.Bug}
		ips, err := r.LookupIP(context.WithValue(ctx, reportKey{}, met), "ip", host)
		return ips, met.conclude(err)
	}
}

// asking connects to a name server. The resolver leaves a question that nobody waits for any more to
// its own timeout of many seconds; here it ends at once. That timeout itself, a deadline of the connection,
// is left to fire, since what it gives is told from what a connection gives that is closed.
func (o *Options) asking(dial dialFunc) dialFunc {
	return func(ctx context.Context, network, address string) (c net.Conn, err error) {
		met := o.reportOf(ctx)
		defer met.caught(&err)
		if c, err = dial(ctx, network, address); err != nil {
			if o.Shortage(err) {
				met.lacking(err)
			}
			return nil, err
		}
		context.AfterFunc(ctx, func() {
			defer met.guard()
			if ctx.Err() == context.Canceled {
				c.Close()
			}
		})
		return c, nil
	}
}
