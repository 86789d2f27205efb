package conn

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"sonde/probe"
)

// stagger is how long one address has before the next is tried beside it (RFC 8305, section 5).
const stagger = 250 * time.Millisecond

// dialed is what came of one address.
type dialed struct {
	address string
	conn    net.Conn
	err     error
}

// dialAny is phase connect: it connects to the first address that answers.
func (c *Call) dialAny(s *shelf, addresses []string) (dialed, error) {
	c.to(probe.PhaseConnect, sockConnect, numLimits)
	if len(addresses) == 1 {
		c.settlesFor(s, 1)
		d := c.dialOne(c.ctx, addresses[0])
		if d.err != nil {
			return d, c.gaveUp([]dialed{d})
		}
		return d, nil
	}
	return c.race(addresses)
}

func (c *Call) dialOne(ctx context.Context, address string) dialed {
	c.mu.Lock()
	c.dialing = address
	c.mu.Unlock()
	conn, err := c.net.options.Dial(ctx, "tcp", address)
	return dialed{address: address, conn: conn, err: err}
}

// tryOne is dialOne beside others. Its panic ends the attempt, and so the others.
func (c *Call) tryOne(ctx context.Context, address string, results chan<- dialed) {
	d := dialed{address: address}
	defer func() { results <- d }()
	defer c.caught(&d.err)
	d = c.dialOne(ctx, address)
}

// race tries the addresses one after the other, each with a head start; the first that connects wins.
func (c *Call) race(addresses []string) (dialed, error) {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	results := make(chan dialed, len(addresses))
	next := time.NewTimer(0)
	defer next.Stop()
	var failed []dialed
	for started, pending := 0, 0; ; {
		select {
		case <-next.C:
		case d := <-results:
			pending--
			if d.err == nil {
				c.lost(failed, nil)
				c.reap(results, pending)
				return d, nil
			}
			failed = append(failed, d)
		}
		switch left := started < len(addresses) && ctx.Err() == nil; {
		case left && c.another(pending):
			address := addresses[started]
			go c.tryOne(ctx, address, results)
			started++
			pending++
			next.Reset(stagger)
		case left:
			next.Reset(stagger)
		case pending == 0:
			return dialed{}, c.gaveUp(failed)
		}
	}
}

// reap closes connections that came too late to win.
func (c *Call) reap(results <-chan dialed, pending int) {
	if pending == 0 || !c.net.hold() {
		return
	}
	go func() {
		defer c.net.open.Done()
		for range pending {
			c.net.drop(<-results)
		}
	}()
}

// drop closes what has been dialled in vain.
func (n *Network) drop(d dialed) {
	defer n.guard()
	if d.conn != nil {
		d.conn.Close()
	}
}

// lost notes the addresses that were tried in vain; cut replaces what each says of being cut.
func (c *Call) lost(failed []dialed, cut error) {
	for _, d := range failed {
		if cut != nil && errors.Is(d.err, context.Canceled) {
			d.err = c.cutOf(cut, d.address)
		}
		c.addresses = append(c.addresses, probe.AddressError{Address: d.address, Err: ToldOf(d.err)})
	}
}

// cutOf is what has cut the connecting to an address. A limit names the address to which it began last, or the proxy.
func (c *Call) cutOf(cut error, address string) error {
	var l *LimitError
	if !errors.As(cut, &l) || l.Phase != probe.PhaseConnect || c.proxying != "" {
		return cut
	}
	own := *l
	own.Doing = "connecting to " + address
	return &own
}

// connected notes the connection that is made.
func (c *Call) connected(d dialed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.address, c.raw, c.dial, c.dials = d.address, d.conn, nil, nil
	c.x.short = nil
}

// connecting notes a socket that is about to connect.
func connecting(ctx context.Context, _, _ string, s syscall.RawConn) error {
	if c, ok := ctx.Value(dialFor{}).(*Call); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.dials = append(c.dials, s)
	}
	return nil
}

// dialFor is the key under which a call's context bears the call.
type dialFor struct{}

// gaveUp is the error of a connection that no address gave: the first that says something of the
// target, before those of networks that we cannot reach.
func (c *Call) gaveUp(failed []dialed) error {
	cut := c.cut()
	c.lost(failed, cut)
	if cut != nil {
		return cut
	}
	for _, d := range failed {
		if errnoReason(d.err) != probe.ReasonConnectUnreachable {
			return d.err
		}
	}
	return failed[0].err
}

// make makes a connection of the shelf's kind: addresses, TCP, the way through a proxy, TLS.
func (c *Call) make(s *shelf, r *Route, raw bool) (*link, error) {
	c.atProxy(r, "looking up the name of the proxy %s")
	addresses, err := c.resolve(r.Leads(), r.Connection.DNSCache)
	if err != nil {
		return nil, c.unreached(r, err)
	}
	c.atProxy(r, "connecting to the proxy %s")
	d, err := c.dialAny(s, addresses)
	if err != nil {
		return nil, c.unreached(r, err)
	}
	c.connected(d)
	l := &link{Conn: d.conn, socket: d.conn, net: c.net, from: s, address: d.address, born: time.Now(), uses: 1, active: 1}
	l.call.Store(c)
	if r.TLS != nil || r.Proxy != nil || raw || s.key.version == H2C {
		l.hurry()
	}
	if !c.net.hold() {
		d.conn.Close()
		return nil, errClosed
	}
	if err = c.outfit(l, s, r, raw); err != nil {
		return nil, err
	}
	return l, nil
}

// outfit makes of a connected socket what the shelf holds, and closes it where that fails, be it by a panic.
func (c *Call) outfit(l *link, s *shelf, r *Route, raw bool) error {
	fit := false
	defer func() {
		if !fit {
			l.close()
		}
	}()
	err := c.through(l, r, raw)
	if err == nil {
		err = c.secure(l, s, r, raw)
	}
	if err != nil {
		return c.failed(err)
	}
	fit = true
	return nil
}
