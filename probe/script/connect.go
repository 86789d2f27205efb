package script

import (
	"net"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// begin starts an exchange: the attempt queues for a connection, and the script's next step begins.
func (c *call) begin() {
	c.enter(probe.PhaseQueue)
	c.hop++
	c.step = &c.net.test.Script[c.index][c.stepIndex()]
	c.link, c.reused, c.refused, c.written, c.received, c.raw = nil, false, false, false, false, false
	c.address, c.facts = "", nil
	c.rest(sockRead)
	c.run(connect)
}

// connects is true of a step that says something of how a new connection is made: then none is kept.
func (s *Step) connects() bool {
	for _, at := range []string{string(s.Hang), string(s.Reset), string(s.Cut)} {
		if at == atQueue || at == atResolve || at == atConnect || at == atProxy || at == atTLS {
			return true
		}
	}
	return s.DNS != "" || s.Connect != "" || s.Proxy != 0 || s.TLS != "" || s.Delay.Resolve+s.Delay.Connect+s.Delay.Proxy+s.Delay.TLS > 0
}

// connect gets a connection: one at hand, or a new one.
func (c *call) connect(r *conn.Route, fresh bool) error {
	c.begin()
	if err := c.ended(); err != nil {
		return err
	}
	c.fits(r)
	if c.step.Hang == atQueue {
		return c.hang()
	}
	if l := c.atHand(r, fresh); l != nil {
		c.use(l, true)
		return nil
	}
	if c.step.Stale {
		c.complain("stale", "never happens: no connection is kept for this request")
	}
	address, err := c.reach(r)
	if err != nil {
		return err
	}
	l := &connection{key: keyOf(r), address: address, born: c.net.clock.now, h2: r.Version == conn.H2C || r.Version == conn.V2}
	l.h2 = l.h2 || c.step.H2 != "" && r.TLS != nil && r.Version != conn.V1
	if err := c.handshake(r, l); err != nil {
		return err
	}
	c.use(l, false)
	return nil
}

// reach opens the way to the route's address: by a new connection, and through a proxy where there is one.
func (c *call) reach(r *conn.Route) (address string, err error) {
	c.atProxy(r, "looking up the name of the proxy ")
	if address, err = c.resolve(r.Leads()); err == nil {
		c.atProxy(r, "connecting to the proxy ")
		err = c.dial(address)
	}
	if err != nil {
		return "", c.unreached(r, err)
	}
	if r.Tunnels() {
		err = c.tunnel(r)
	}
	c.proxying = ""
	return address, err
}

// atHand is a kept connection, nil when there is none, or none that may be used.
func (c *call) atHand(r *conn.Route, fresh bool) *connection {
	if fresh {
		return nil
	}
	if c.step.connects() {
		c.net.drop(r) // the endpoint has closed it
		return nil
	}
	l := c.net.take(r)
	switch {
	case l == nil && c.first && c.hop == 1 && (c.net.test.Kept || c.step.Stale):
		now := c.net.clock.now
		l = &connection{key: keyOf(r), address: c.net.resolved(r.Leads()), born: now, lastUsed: now}
		l.h2 = r.Version == conn.H2C || r.Version == conn.V2 || c.step.H2 != "" && r.TLS != nil && r.Version != conn.V1
		l.facts = goodTLS(r)
	case l != nil && c.step.H2 != "" && !l.h2:
		return nil
	}
	return l
}

// use notes the connection that the exchange is on.
func (c *call) use(l *connection, reused bool) {
	c.link, c.reused, c.address, c.facts = l, reused, l.address, l.facts
	c.rest(connect)
	c.rest(sockConnect)
	c.enter(probe.PhaseWrite)
}

// fits complains of what cannot happen on the route.
func (c *call) fits(r *conn.Route) {
	s := c.step
	if !isName(r.Leads()) && (s.DNS != "" || s.Hang == atResolve || s.Delay.Resolve > 0) {
		key := map[bool]string{true: "dns", false: "delay"}[s.DNS != ""]
		if s.Hang == atResolve {
			key = "hang"
		}
		c.complain(key, "never happens: %s is an address, so that nothing is looked up", r.Leads())
	}
	if r.TLS == nil {
		c.never(atTLS, s.TLS != "", s.Delay.TLS, "the request to "+r.Address+" is sent without TLS")
	}
	if !r.Tunnels() {
		c.never(atProxy, s.Proxy != 0, s.Delay.Proxy, "no proxy is asked for a tunnel to "+r.Address)
	}
}

// never complains of what a step says of a place to which its request does not get.
func (c *call) never(at string, own bool, delay Span, why string) {
	s := c.step
	for key, is := range map[string]bool{at: own, "hang": string(s.Hang) == at, "reset": string(s.Reset) == at, "cut": string(s.Cut) == at, "delay": delay > 0} {
		if is {
			c.complain(key, "never happens: %s", why)
		}
	}
}

// resolve is phase resolve.
func (c *call) resolve(address string) (string, error) {
	c.enter(probe.PhaseResolve)
	if !isName(address) {
		return address, nil
	}
	if err := c.wait(time.Duration(c.step.Delay.Resolve)); err != nil {
		return "", err
	}
	if c.step.Hang == atResolve {
		return "", c.hang()
	}
	if c.step.DNS != "" {
		host, _, _ := net.SplitHostPort(address)
		return "", c.fail(dnsFault(c.step.DNS, host))
	}
	return c.net.resolved(address), nil
}

// dial is phase connect. An address that was tried in vain is noted.
func (c *call) dial(address string) error {
	c.enter(probe.PhaseConnect)
	c.dialing = address
	c.run(sockConnect)
	err := c.wait(time.Duration(c.step.Delay.Connect))
	switch {
	case err != nil:
	case c.step.Hang == atConnect:
		err = c.hang()
	case c.step.Connect != "" || c.step.Reset == atConnect:
		err = c.fail(connectFault(c.step.Connect, address))
	default:
		c.address = address
		return nil
	}
	c.addresses = append(c.addresses, probe.AddressError{Address: address, Err: conn.ToldOf(err)})
	return err
}

// handshake is phase tls.
func (c *call) handshake(r *conn.Route, l *connection) error {
	if r.TLS == nil {
		return nil
	}
	c.enter(probe.PhaseTLS)
	c.facts = &probe.TLSFacts{}
	if err := c.wait(time.Duration(c.step.Delay.TLS)); err != nil {
		return err
	}
	if c.step.Hang == atTLS {
		return c.hang()
	}
	if err, is := c.step.broken(atTLS); is {
		return c.fail(probe.ReasonTLSClosed, err)
	}
	host, _, _ := net.SplitHostPort(r.Address)
	if c.step.TLS != "" && !unverified(r, c.step.TLS) {
		return c.fail(tlsFault(c.step.TLS, host))
	}
	l.facts = goodTLS(r)
	return nil
}

// unverified is true of a bad certificate that nobody looks at.
func unverified(r *conn.Route, word TLS) bool {
	return word != "alert" && word != "not_tls" && r.TLS.Config != nil && r.TLS.Config.InsecureSkipVerify
}

// goodTLS is what a handshake shows that goes well.
func goodTLS(r *conn.Route) *probe.TLSFacts {
	if r.TLS == nil {
		return nil
	}
	return &probe.TLSFacts{Version: "TLS 1.3", Cipher: "TLS_AES_128_GCM_SHA256"}
}
