package script

import (
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// atProxy notes what is done with the route's proxy, if it has one.
func (c *call) atProxy(r *conn.Route, doing string) {
	if c.proxying = ""; r.Proxy != nil {
		c.proxying = doing + r.Proxy.Address
	}
}

// unreached is the error of a connection that did not come about: where it led to a proxy, that is its fault.
func (c *call) unreached(r *conn.Route, err error) error {
	if r.Proxy == nil || c.ended() != nil || c.fault == nil {
		return err
	}
	return conn.Unreached(r.Proxy, c.fault.err)
}

// tunnel is what the proxy makes of CONNECT.
func (c *call) tunnel(r *conn.Route) error {
	c.rest(sockConnect)
	c.proxying = "waiting for the proxy " + r.Proxy.Address + " to answer CONNECT"
	if err := c.wait(time.Duration(c.step.Delay.Proxy)); err != nil {
		return err
	}
	if c.step.Hang == atProxy {
		return c.hang()
	}
	if err, is := c.step.broken(atProxy); is {
		text := map[bool]string{true: "reset", false: "closed"}[err == errReset]
		return conn.ProxyFailure(err, "the proxy %s %s the connection before answering CONNECT", r.Proxy.Address, text)
	}
	if status := c.step.Proxy; status != 0 {
		return &conn.Failure{Reason: probe.ReasonProxyStatus, Err: &conn.ProxyRefusal{Proxy: r.Proxy.Address, Status: status, Header: c.step.header()}}
	}
	c.run(sockConnect)
	return nil
}
