package kinds

import (
	"fmt"
	"net/http"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// exchange is one attempt in progress.
type exchange struct {
	prober *httpProber
	call   conn.Caller
	hops   []probe.Hop
	proxy  string // that the last request went through, host:port; empty without
	turned bool   // a redirect has turned the request into a GET
	// unkeyed is true once a redirect has left the host, and the idempotency key has stayed behind.
	unkeyed bool
	// facts are of the last response; nil before the first.
	facts    *probe.HTTP
	failure  *conn.Failure // what is wrong with the response
	asked    time.Duration
	hasAsked bool
}

// run sends, follows redirects, and judges the last response. What it returns is for Call.End.
func (x *exchange) run(t probe.Try) error {
	s := step{x.prober.route, x.prober.first(t)}
	for {
		x.proxy = ""
		if s.route.Proxy != nil {
			x.proxy = s.route.Proxy.Address
		}
		resp, err := x.call.RoundTrip(s.route, s.request, t.Fresh)
		if err != nil {
			return x.unsent(err)
		}
		x.saw(s.request, resp)
		if refusal := x.prober.refusal(s.route, resp.StatusCode); refusal != nil {
			return x.fail(resp, refusal)
		}
		if !x.prober.follows(resp) {
			return x.judge(resp)
		}
		next, failure := x.next(s, resp)
		if failure != nil {
			return x.fail(resp, failure)
		}
		x.hops = append(x.hops, probe.Hop{URL: x.facts.URL, Status: resp.StatusCode, RemoteAddress: x.call.RemoteAddress(), Proxy: x.proxy})
		x.facts.Hops = x.hops
		resp.Body.Close()
		s = next
	}
}

// saw keeps the facts of a response.
func (x *exchange) saw(r *http.Request, resp *http.Response) {
	shown := x.prober.target
	if len(x.hops) > 0 {
		shown = x.prober.secrets.url(r.URL)
	}
	x.facts = &probe.HTTP{
		Status: resp.StatusCode, Version: resp.Proto, URL: shown, Hops: x.hops,
		ContentLength: resp.ContentLength, LengthUnverified: lengthUnverified(r.Method, resp),
	}
	if text := resp.Header.Get("Last-Modified"); text != "" {
		x.facts.LastModified, _ = http.ParseTime(text) // what cannot be read says nothing
	}
}

// lengthUnverified is true of a body whose end is the end of the connection.
func lengthUnverified(method string, resp *http.Response) bool {
	bodiless := method == "HEAD" || resp.StatusCode < 200 || resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified
	return resp.ProtoMajor == 1 && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0 && !bodiless
}

// judge holds the response against what is expected. A wrong status or header is known before the body
// has come, and nothing that befalls the body changes it.
func (x *exchange) judge(resp *http.Response) error {
	p := x.prober
	if !p.expected.has(resp.StatusCode) || p.retryable.has(resp.StatusCode) {
		x.asked, x.hasAsked = retryAfter(resp.Header, x.call.Now()) // whatever it fails for
	}
	if !p.expected.has(resp.StatusCode) {
		return x.fail(resp, &conn.Failure{
			Reason: probe.ReasonStatus, Transient: p.retryable.has(resp.StatusCode),
			Err: fmt.Errorf("status %d, want %s", resp.StatusCode, p.want),
		})
	}
	for i := range p.headers {
		if wrong := p.headers[i].wrong(resp.Header, p.secrets); wrong != nil {
			return x.fail(resp, assertion(wrong))
		}
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp.Body.Close() // what follows is of another protocol
	}
	return x.read(resp)
}

// assertion is the failure of a response that is not what was expected.
func assertion(err error) *conn.Failure {
	return &conn.Failure{Reason: probe.ReasonAssertion, Err: err}
}

// fail keeps what is wrong with a response, and the beginning of its body.
func (x *exchange) fail(resp *http.Response, f *conn.Failure) error {
	x.failure = f
	x.readHead(resp)
	resp.Body.Close()
	return f
}

// complete puts into the attempt's record what the connection does not know.
func (x *exchange) complete(a *probe.Attempt) {
	a.Method, a.Repeatable, a.HTTP = x.prober.method, x.prober.safe, x.facts
	a.Asked, a.HasAsked, a.Proxy = x.asked, x.hasAsked, x.proxy
	if x.unkeyed {
		a.Repeatable = probe.Idempotent(a.Method)
	}
	if x.turned {
		a.Evidence = probe.Answered // the request that was asked for has been, whatever became of the GET
	}
	if x.failure != nil && a.Reason != probe.ReasonCanceled {
		overrule(a, x.failure)
	}
	a.Err = x.prober.secrets.clean(a.Err)
}

// overrule makes a failure the attempt's own, also where a limit or the end of the run has come after it was
// known. A run that was canceled stays one of which nothing is said.
func overrule(a *probe.Attempt, f *conn.Failure) {
	a.OK, a.Reason, a.Transient, a.Err = false, f.Reason, f.Transient, f
	a.Limit, a.Late = "", 0
}
