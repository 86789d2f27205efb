package conn

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/url"

	"sonde/probe"
)

// Proxy is what stands between us and a route's address. TLS to the address, and HTTP/2, go through a tunnel
// that the proxy is asked for with CONNECT; a request of HTTP/1 without TLS is the proxy's to carry out. What
// fails before there is a way to the address is a *Failure of proxy_connect, whose fault is the proxy's; its
// phase is connect, or resolve.
type Proxy struct {
	// Address is the proxy's host:port.
	Address string
	// TLS is how the proxy itself is spoken to; nil is in the clear.
	TLS *TLS
	// Header goes to the proxy: with CONNECT, and with the requests that it carries out, where they have no
	// such header of their own.
	Header http.Header
	// Key tells apart proxies that must not share a connection: it is derived from all that is above, the
	// credentials in it included, and shows none of them.
	Key string
}

// ProxyRefusal is a proxy's answer to CONNECT that was not 2xx. It comes in a *Failure of proxy_status that is
// permanent: who knows which statuses are worth another attempt may say otherwise.
type ProxyRefusal struct {
	// Proxy is the proxy's host:port.
	Proxy  string
	Status int
	// Header is of the answer, and bounded.
	Header http.Header
}

// Error names the proxy and the status.
func (e *ProxyRefusal) Error() string { return ProxyAnswer(e.Proxy, e.Status) + " to CONNECT" }

// ProxyAnswer is the status with which a proxy, host:port, has answered, in words.
func ProxyAnswer(proxy string, status int) string {
	text := http.StatusText(status) // not the proxy's own: that may be anything
	if text != "" {
		text = " (" + text + ")"
	}
	return fmt.Sprintf("the proxy %s answered %d%s", proxy, status, text)
}

// Tunnels is true of a route through a proxy that is asked for a tunnel, and does not see the request.
func (r *Route) Tunnels() bool { return r.Proxy != nil && (r.TLS != nil || r.Version == H2C) }

// Leads is where the route's connections lead, host:port: the proxy or, without one, the address.
func (r *Route) Leads() string {
	if r.Proxy != nil {
		return r.Proxy.Address
	}
	return r.Address
}

// asked is the request as it is sent on the route: a proxy that is to carry it out is told where it leads.
func (r *Route) asked(req *http.Request) *http.Request {
	if r.Proxy == nil || r.Tunnels() {
		return req
	}
	out, u := new(http.Request), *req.URL
	*out = *req
	u.Opaque = "//" + u.Host + cmp.Or(u.EscapedPath(), "/")
	out.URL, out.Header = &u, req.Header.Clone()
	for name, values := range r.Proxy.Header {
		if _, own := out.Header[name]; !own {
			out.Header[name] = values
		}
	}
	return out
}

// atProxy notes what the call does with the proxy on its way, in words for a limit that fires meanwhile;
// empty is that it has done with it.
func (c *Call) atProxy(r *Route, format string) {
	if r.Proxy == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.proxying = ""; format != "" {
		c.proxying = fmt.Sprintf(format, r.Proxy.Address)
	}
}

// unreached is the error of a connection that did not come about. Where it was to lead to a proxy, it is the
// proxy's fault, unless it is our own.
func (c *Call) unreached(r *Route, err error) error {
	if r.Proxy == nil || c.cut() != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	reason := c.reason(err)
	if reason.Blame() != probe.OfTarget {
		return err
	}
	text := cmp.Or(connectionWords(c.phase, reason, err), plain(err.Error()))
	return Unreached(r.Proxy, probe.Reworded(err, text))
}

// Unreached is the failure of a connection that led to a proxy and did not come about; err says why.
func Unreached(p *Proxy, err error) *Failure {
	return ProxyFailure(err, "the proxy %s cannot be reached: %s", p.Address, err)
}

// ProxyFailure is a failure of proxy_connect, in words; err is what they were made of.
func ProxyFailure(err error, format string, args ...any) *Failure {
	reason := probe.ReasonProxyConnect
	return &Failure{Reason: reason, Transient: reason.Transient(), Err: probe.Reworded(err, fmt.Sprintf(format, args...))}
}

// through makes the way to the route's address on a connection to its proxy: TLS to the proxy where it has it,
// and a tunnel where one is needed. The limit sock_connect, which is of sockets, rests while the proxy connects
// to the address, and starts anew when it has.
func (c *Call) through(l *link, r *Route, raw bool) error {
	if r.Proxy == nil {
		return nil
	}
	if !c.outfits(l) {
		return c.cut()
	}
	defer c.outfits(nil)
	if r.Proxy.TLS != nil {
		c.atProxy(r, "in the TLS handshake with the proxy %s")
		if err := c.secureProxy(l, r.Proxy); err != nil {
			return err
		}
	}
	if raw || r.Tunnels() {
		c.to(probe.PhaseConnect, numLimits, sockConnect)
		c.atProxy(r, "waiting for the proxy %s to answer CONNECT")
		if err := c.tunnel(l, r); err != nil {
			return err
		}
		c.to(probe.PhaseConnect, sockConnect, numLimits)
	}
	c.atProxy(r, "")
	return nil
}

// secureProxy does TLS with the proxy. What it shows is not kept: the record's facts are the target's.
func (c *Call) secureProxy(l *link, p *Proxy) error {
	config := p.TLS.Config.Clone()
	config.NextProtos = []string{"http/1.1"}
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(p.Address)
	}
	t := newClient(l, config)
	if err := t.Handshake(); err != nil {
		text := cmp.Or(tlsWords(tlsReason(err), err), plain(err.Error()))
		return ProxyFailure(err, "TLS with the proxy %s: %s", p.Address, text)
	}
	l.Conn = t
	return nil
}

// connectRequest is what asks a proxy for a tunnel.
func connectRequest(r *Route) *http.Request {
	return &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: r.Address}, Host: r.Address, Header: r.Proxy.Header}
}
