package kinds

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"

	"sonde/probe"
	"sonde/probe/conn"
)

// httpProber is what an HTTP probe keeps while it is idle: all that is the same in each attempt. There may
// be a hundred thousand of them, so what most have in common they share, and what most do not have takes
// no room. Nothing changes it after it was built.
type httpProber struct {
	*httpTerms
	*httpExtras
	net   conn.Starter
	route *conn.Route
	// url and header are those of the first request of every attempt. Attempts share them; nobody changes
	// what they point to.
	url    *url.URL
	header http.Header
	target string
	claim  claim
}

// httpTerms is the part of a prober that those of like probes share.
type httpTerms struct {
	method    string
	host      string // the Host header, where the file has one
	close     bool   // after each request
	keyed     bool   // a key is drawn for each run
	safe      bool   // sending twice does what sending once does
	limits    probe.Limits
	tls       *conn.TLS // of the URL's own host, whether it is asked by TLS or not
	abroad    *conn.TLS // of other hosts
	proxies   *proxies  // nil without any
	redirects int
	expected  statusBits
	retryable statusBits
	want      string // the expected statuses, for errors
}

// httpExtras is the part of a prober that most have no use for.
type httpExtras struct {
	body    []byte
	headers []headerCheck
	rules   *bodyChecks // nil without body rules
	secrets secrets
}

// noExtras are the extras of probers without any.
var noExtras = &httpExtras{}

// Prober makes the prober. It reads the files of the tls block.
func (s *HTTP) Prober(env probe.Env) (probe.Prober, error) {
	u, err := parseURL(s.URL)
	if err != nil {
		return nil, &probe.Fault{Place: "url", Text: "is no URL that can be probed, " + err.Error()}
	}
	home, abroad, err := s.house.tls(s.TLS, env.Dir)
	if err != nil {
		return nil, err
	}
	chosen, err := s.proxies(abroad)
	if err != nil {
		return nil, err
	}
	extras, err := s.extras(u, env, chosen)
	if err != nil {
		return nil, err
	}
	terms := s.terms(env)
	terms.tls, terms.abroad, terms.proxies = home, abroad, chosen
	p := &httpProber{
		httpTerms: s.house.share(terms), httpExtras: extras, net: s.house.net,
		url: u, header: s.requestHeader(u.User), target: s.shown(probe.Clip(extras.secrets.Text(redactWhole(u)), maxURL)),
		route: &conn.Route{
			Address: address(u), Version: conn.Version(s.Version), Connection: env.Connection, Due: due(env), Proxy: chosen.of(u),
		},
	}
	if u.Scheme == "https" {
		p.route.TLS = home
	}
	u.User, u.Fragment, u.RawFragment = nil, "", "" // they are not asked for
	return p, nil
}

// terms are what the prober may share with others.
func (s *HTTP) terms(env probe.Env) httpTerms {
	t := httpTerms{
		method: s.Method, host: s.header("Host"), close: !env.Connection.Reuse, limits: env.Limits,
		keyed: s.IdempotencyKey == autoKey, safe: probe.Idempotent(s.Method) || s.IdempotencyKey != "",
		redirects: int(s.Redirects),
		expected:  s.Expect.Status.bits(), retryable: s.RetryableStatus.bits(), want: s.Expect.Status.String(),
	}
	if s.IdempotencyKey != "" {
		t.retryable.add(http.StatusConflict) // the first one is still running
	}
	return t
}

// extras are what few probers have.
func (s *HTTP) extras(u *url.URL, env probe.Env, through *proxies) (*httpExtras, error) {
	body, err := s.payload()
	if err != nil {
		return nil, err
	}
	e := &httpExtras{
		body: body, headers: headerChecks(s.Expect.Headers), rules: s.Expect.checks(&s.house.room), secrets: s.credentials(u, env.Secrets),
	}
	through.secrets(&e.secrets)
	if len(e.body) == 0 && len(e.headers) == 0 && e.rules == nil && len(e.secrets.Secrets) == 0 {
		return noExtras, nil
	}
	return e, nil
}

// autoKey is the idempotency key that is drawn anew for each run.
const autoKey = "auto"

// payload is the body as it is sent.
func (s *HTTP) payload() ([]byte, error) {
	switch {
	case s.JSON != nil:
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(s.JSON); err != nil {
			return nil, &probe.Fault{Place: "json", Text: "cannot be written as JSON"}
		}
		return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
	case s.Form != nil:
		return []byte(s.formValues().Encode()), nil
	case s.Body != "":
		return []byte(s.Body), nil
	}
	return nil, nil
}

func (s *HTTP) formValues() url.Values {
	values := url.Values{}
	for name, texts := range s.Form {
		values[name] = texts
	}
	return values
}

// requestHeader is the header of every first request. Probes whose file says nothing of it share one.
func (s *HTTP) requestHeader(user *url.Userinfo) http.Header {
	if len(s.Headers) == 0 && user == nil && s.JSON == nil && s.Form == nil && s.IdempotencyKey == "" {
		return s.house.header
	}
	h := s.baseHeader()
	for name, value := range s.Headers {
		h.Set(name, value)
	}
	h.Del("Host") // it is not sent as a header of its own
	if user != nil && h.Get("Authorization") == "" {
		h.Set("Authorization", basic(user))
	}
	return h
}

// basic is a user and a password as Basic authorization (RFC 7617).
func basic(user *url.Userinfo) string {
	password, _ := user.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password))
}

// baseHeader is what is sent where the file does not say otherwise.
func (s *HTTP) baseHeader() http.Header {
	h := s.house.header.Clone()
	switch {
	case s.JSON != nil:
		h.Set("Content-Type", "application/json")
	case s.Form != nil:
		h.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if s.IdempotencyKey != "" && s.IdempotencyKey != autoKey {
		h.Set("Idempotency-Key", s.IdempotencyKey)
	}
	return h
}

// credentials are what must not be shown, even when the target echoes it.
func (s *HTTP) credentials(u *url.URL, filled probe.Secrets) secrets {
	c := secrets{slices.Clone(filled)}
	h := http.Header{}
	for name, value := range s.Headers {
		h.Set(name, value)
	}
	c.headers(h)
	if u.User != nil {
		c.headers(http.Header{"Authorization": {basic(u.User)}}) // what it encodes is put in, too
	}
	c.text(u.RawQuery)
	c.text(s.Body)
	c.query(s.formValues())
	c.fields(s.JSON, false)
	return c
}

// first is the first request of an attempt.
func (p *httpProber) first(t probe.Try) *http.Request {
	r := &http.Request{
		Method: p.method, URL: p.url, Host: p.host, Header: p.header, ContentLength: int64(len(p.body)), Close: p.close,
	}
	if len(p.body) > 0 {
		r.Body = newReplay(p.body)
	}
	if p.keyed {
		r.Header = r.Header.Clone()
		r.Header.Set("Idempotency-Key", t.Key.String())
	}
	return r
}

// newReplay is a body that is sent from the beginning.
func newReplay(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

// Probe makes one attempt: one request, and those that redirects demand.
func (p *httpProber) Probe(ctx context.Context, t probe.Try) probe.Attempt {
	p.claim.take(p.net, p.route)
	call := guarded{Caller: p.net.Start(ctx, p.limits)}
	defer call.guard()
	x := exchange{prober: p, call: call.Caller}
	err := x.run(t)
	a := call.End(err)
	x.complete(&a)
	return a
}

// Rest lets go of a connection that the next run would find closed.
func (p *httpProber) Rest() { p.claim.rest() }

// Close lets go of the connections for good.
func (p *httpProber) Close() error {
	p.claim.release()
	return nil
}

// Secures reports whether the target is one of https.
func (p *httpProber) Secures() bool { return p.url.Scheme == "https" }

// Asks is true: a response may bear Retry-After.
func (p *httpProber) Asks() bool { return true }
