package kinds

import (
	"errors"
	"net/http"

	"sonde/probe"
	"sonde/probe/conn"
)

// unsent is the error of a request that had no answer. A proxy's refusal of a tunnel is worth another attempt as
// a status of the target is, and may say when.
func (x *exchange) unsent(err error) error {
	var f *conn.Failure
	var refusal *conn.ProxyRefusal
	if !errors.As(err, &f) || !errors.As(err, &refusal) {
		return err
	}
	x.asked, x.hasAsked = retryAfter(refusal.Header, x.call.Now())
	return &conn.Failure{Reason: f.Reason, Transient: x.prober.retryable.has(refusal.Status), Err: refusal}
}

// refusal is the failure of a proxy that did not carry a request out because it does not know who asks; nil
// where it did, or where that is what the probe expects. What else it answers is told as the answer: it may
// be the target's.
func (p *httpProber) refusal(r *conn.Route, status int) *conn.Failure {
	if r.Proxy == nil || r.Tunnels() || status != http.StatusProxyAuthRequired || p.expected.has(status) {
		return nil
	}
	return &conn.Failure{
		Reason: probe.ReasonProxyStatus, Transient: p.retryable.has(status), Err: errors.New(conn.ProxyAnswer(r.Proxy.Address, status)),
	}
}
