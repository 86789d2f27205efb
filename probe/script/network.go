package script

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// Network plays scripts to the probers that were made over it: it is a conn.Starter. One run at a time
// may go on, that of Play.
type Network struct {
	clock *clock
	test  *Test
	// attempt is how many attempts have begun.
	attempt  int
	kept     map[key][]*connection
	hosts    map[string]string // the addresses that names have been given
	requests int
	faults   []probe.Fault
	giveUp   context.CancelCauseFunc
}

// New makes a network.
func New() *Network { return &Network{} }

// begin makes ready for a test.
func (n *Network) begin(t *Test, giveUp context.CancelCauseFunc) {
	*n = Network{clock: &clock{}, test: t, kept: map[key][]*connection{}, hosts: map[string]string{}, giveUp: giveUp}
}

// key tells apart connections that may not take each other's place, as conn does.
type key struct {
	address    string
	secure     bool
	tls        string
	version    conn.Version
	proxy      string
	connection probe.Connection
}

func keyOf(r *conn.Route) key {
	k := key{address: r.Address, version: r.Version, connection: r.Connection}
	if r.TLS != nil {
		k.secure, k.tls = true, r.TLS.Key
	}
	if r.Proxy != nil {
		k.proxy = r.Proxy.Key
	}
	return k
}

// connection is one that is open.
type connection struct {
	key      key
	address  string
	h2       bool
	facts    *probe.TLSFacts
	born     time.Duration
	lastUsed time.Duration
}

// Start begins an attempt.
func (n *Network) Start(ctx context.Context, l probe.Limits) conn.Caller {
	if n.test == nil {
		panic("script: an attempt begins without a test")
	}
	c := &call{net: n, parent: ctx, start: n.clock.now, since: n.clock.now, index: min(n.attempt, len(n.test.Script)-1)}
	c.first = n.attempt == 0
	c.length = [numLimits]time.Duration{l.Total, l.Connect, l.SockConnect, l.SockRead}
	c.run(total)
	n.attempt++
	return c
}

// Use is for the interface: what is kept between runs is no part of a script.
func (n *Network) Use(*conn.Route) conn.Claim { return claim{} }

type claim struct{}

func (claim) Rest()    {}
func (claim) Release() {}

// complain tells that a key of a step has no effect, or a bad one; once.
func (n *Network) complain(place, format string, args ...any) {
	f := probe.Fault{Place: place, Text: fmt.Sprintf(format, args...)}
	for _, known := range n.faults {
		if known == f {
			return
		}
	}
	n.faults = append(n.faults, f)
}

// errForever is why a run is given up that would never end.
var errForever = errors.New("the run would never end")

// isName is true of an address whose host is looked up.
func isName(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	_, err = netip.ParseAddr(host)
	return err != nil
}

// resolved is the address that a host:port has: its own, or one of those that are kept for documentation.
func (n *Network) resolved(address string) string {
	if !isName(address) {
		return address
	}
	host, port, _ := net.SplitHostPort(address)
	if n.hosts[host] == "" {
		n.hosts[host] = fmt.Sprintf("192.0.2.%d", min(254, len(n.hosts)+1))
	}
	return net.JoinHostPort(n.hosts[host], port)
}

// take is a connection that is kept for a route, nil when there is none that can be used: of HTTP/2 the
// first, of HTTP/1 the one that was used last.
func (n *Network) take(r *conn.Route) *connection {
	k, now, how := keyOf(r), n.clock.now, r.Connection
	kept := slices.DeleteFunc(n.kept[k], func(l *connection) bool {
		return how.IdleTimeout > 0 && now-l.lastUsed >= how.IdleTimeout || how.MaxAge > 0 && now-l.born >= how.MaxAge
	})
	n.kept[k] = kept
	if len(kept) == 0 {
		return nil
	}
	i := len(kept) - 1
	if kept[0].h2 {
		i = 0
	}
	l := kept[i]
	n.kept[k] = slices.Delete(kept, i, i+1)
	return l
}

// drop drops what is kept for a route.
func (n *Network) drop(r *conn.Route) { delete(n.kept, keyOf(r)) }

// keep keeps a connection for the next attempt.
func (n *Network) keep(l *connection) {
	how := l.key.connection
	if !how.Reuse || how.MaxAge > 0 && n.clock.now-l.born >= how.MaxAge {
		return
	}
	l.lastUsed = n.clock.now
	n.kept[l.key] = append(n.kept[l.key], l)
}

// flush drops what is kept for the host of a connection that has proved stale.
func (n *Network) flush(address string) {
	for k := range n.kept {
		if k.address == address {
			delete(n.kept, k)
		}
	}
}
