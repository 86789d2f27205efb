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

// httpProber is what an HTTP probe keeps while it is idle: all that is the same in each attempt. Nothing
// changes it after it was built.
type httpProber struct {
	net    conn.Starter
	limits probe.Limits
	route  *conn.Route
	// request is the first request of every attempt, but for its body and an idempotency key that is
	// drawn. Attempts share it; nobody changes it or what it points to.
	request   *http.Request
	body      []byte
	keyed     bool // a key is drawn for each run
	safe      bool // sending twice does what sending once does
	target    string
	tls       *conn.TLS // of the URL's own host, whether it is asked by TLS or not
	abroad    *conn.TLS // of other hosts
	proxies   *proxies  // nil without any
	redirects int
	expected  statusBits
	retryable statusBits
	want      string // the expected statuses, for errors
	headers   []headerCheck
	rules     *bodyChecks // nil without body rules
	secrets   secrets
	claim     claim
}

// Prober makes the prober. It reads the files of the tls block.
func (s *HTTP) Prober(env probe.Env) (probe.Prober, error) {
	u, err := parseURL(s.URL)
	if err != nil {
		return nil, &probe.Fault{Place: "url", Text: "is no URL that can be probed, " + err.Error()}
	}
	home, err := s.TLS.load(env.Dir)
	if err != nil {
		return nil, err
	}
	p := &httpProber{
		net: s.house.net, limits: env.Limits, tls: home, abroad: s.TLS.abroad(home),
		keyed: s.IdempotencyKey == autoKey, safe: isIdempotent(s.Method) || s.IdempotencyKey != "",
		target: redact(u), redirects: int(s.Redirects),
		expected: s.Expect.Status.bits(), retryable: s.RetryableStatus.bits(), want: s.Expect.Status.String(),
		headers: headerChecks(s.Expect.Headers), rules: s.Expect.checks(), secrets: s.credentials(u, env.Secrets),
	}
	if p.proxies, err = s.proxies(p.abroad); err != nil {
		return nil, err
	}
	p.proxies.secrets(&p.secrets)
	if s.IdempotencyKey != "" {
		p.retryable.add(http.StatusConflict) // the first one is still running
	}
	if p.body, err = s.payload(); err != nil {
		return nil, err
	}
	p.request = s.template(u, len(p.body), env.Connection)
	p.route = &conn.Route{Address: address(u), Version: conn.Version(s.Version), Connection: env.Connection, Due: due(env), Proxy: p.proxies.of(u)}
	if u.Scheme == "https" {
		p.route.TLS = home
	}
	return p, nil
}

// autoKey is the idempotency key that is drawn anew for each run.
const autoKey = "auto"

// isIdempotent reports whether sending a request of this method twice does what sending it once does
// (RFC 9110, section 9.2.2, and RFC 10008 for QUERY).
func isIdempotent(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY":
		return true
	}
	return false
}

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

// template is the first request of every attempt.
func (s *HTTP) template(u *url.URL, length int, c probe.Connection) *http.Request {
	asked := *u
	asked.User, asked.Fragment, asked.RawFragment = nil, "", ""
	return &http.Request{
		Method: s.Method, URL: &asked, Host: s.header("Host"), Header: s.requestHeader(u.User), ContentLength: int64(length), Close: !c.Reuse,
	}
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
	c.query(u.Query())
	c.query(s.formValues())
	c.fields(s.JSON, false)
	return c
}

// first is the first request of an attempt.
func (p *httpProber) first(t probe.Try) *http.Request {
	if len(p.body) == 0 && !p.keyed {
		return p.request
	}
	r := new(http.Request)
	*r = *p.request
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
	x := exchange{prober: p, call: p.net.Start(ctx, p.limits)}
	err := x.run(t)
	a := x.call.End(err)
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

// Asks is true: a response may bear Retry-After.
func (p *httpProber) Asks() bool { return true }
