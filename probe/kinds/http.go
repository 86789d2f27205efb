package kinds

import "sonde/probe"

func init() { register("http", newHTTP) }

// HTTP declares one request and what is expected of its response. Every attempt sends it once; nothing
// below sonde sends again, and only redirects make further requests.
type HTTP struct {
	// What is asked for: an http or https URL. User and password in it are sent as Basic authorization. What is
	// filled in is data of the place where it stands, and a query is sent with what may not stand there escaped.
	// Wherever it is shown, userinfo and the values of query parameters that look like secrets (token,
	// key, secret, pass, sig, auth) are left out.
	URL string `yaml:"url" validate:"required" fill:"url" example:"https://www.example.com/"`
	// The request's method, GET unless given. GET, HEAD, OPTIONS, TRACE, PUT, DELETE and QUERY are
	// repeated after any transient failure; any other only when no byte of a response had come, unless
	// idempotency_key makes it safe.
	Method string `yaml:"method" validate:"required"`
	// Headers of the request, by name. Host sets the host that is asked for, without a change to where
	// the connection leads. User-Agent is sonde and its version, unless it is given here. No compression
	// is asked for unless Accept-Encoding is given, and then the body is matched as it comes.
	Headers map[string]string `yaml:"headers"`
	// The request's body, sent as written. At most one of body, json and form.
	Body string `yaml:"body"`
	// A value that is sent as JSON, with Content-Type application/json unless headers say otherwise.
	JSON any `yaml:"json"`
	// Fields that are sent as an HTML form is, each with one value or several, with Content-Type
	// application/x-www-form-urlencoded unless headers say otherwise.
	Form map[string]Texts `yaml:"form"`
	// Sent as Idempotency-Key: auto draws a random UUID for each run, the same on all its attempts; any
	// other text is sent as it is. It says that the server recognises a repeated request, so any method
	// is repeated after any transient failure, and status 409 (the first one is still running) joins
	// retryable_status.
	IdempotencyKey string `yaml:"idempotency_key"`
	// The statuses after which another attempt is worth it: numbers, ranges such as 520-527, classes
	// such as 5xx. It replaces the default; [] is none. A status that is expected is none of these.
	// The reason "status" in retry.transient or retry.permanent beats it.
	RetryableStatus StatusSet `yaml:"retryable_status"`
	// How many redirects are followed, 1 to 100, or none: then a redirect is judged as any other status
	// is. One more than that fails with redirect_loop. 301 and 302 turn POST into GET, 303 turns all but
	// HEAD into it, 307 and 308 keep method and body. Authorization, cookies, the idempotency key and
	// headers that look like secrets are dropped once a redirect leaves the scheme, host or port.
	Redirects Redirects `yaml:"redirects"`
	// The version of HTTP: auto (HTTP/2 where TLS agrees on it, else HTTP/1.1), 1.1, 2 (https only), or
	// h2c (HTTP/2 without TLS, http only).
	Version HTTPVersion `yaml:"version"`
	// What requests go through: none, the URL of an HTTP proxy, environment, or a mapping. https URLs and
	// HTTP/2 go through a tunnel (CONNECT), and TLS is with the target; http URLs the proxy asks for itself.
	// Redirects go through it too. A proxy that cannot be reached, or breaks off, fails with proxy_connect,
	// and one that answers CONNECT with other than 2xx, or an http URL with 407, with proxy_status, which is
	// worth another attempt by retryable_status. The limit connect holds for all of the way to the target.
	Proxy HTTPProxy `yaml:"proxy" example:"http://proxy.example.com:3128" fill:"url"`
	// TLS of https URLs, also of those that redirects lead to and of an https proxy; server_name and the
	// client certificate are for the URL's own host only.
	TLS *TLS `yaml:"tls"`
	// What the response must be; a status of 2xx unless given.
	Expect HTTPExpect `yaml:"expect"`

	house *house
}

// HTTPExpect is what a response must be.
type HTTPExpect struct {
	// The statuses that pass: numbers, ranges such as 200-299, classes such as 2xx. [] lets none pass.
	// An expected status passes even when it is in retryable_status, and a wrong one fails with reason
	// "status" even when the body is cut.
	Status StatusSet `yaml:"status" alone:"true"`
	// What headers must be, by name: a text that the value must equal, or rules. Of a header that came
	// more than once any value may satisfy the rules. A wrong one fails with reason "assertion".
	Headers map[string]HeaderRule `yaml:"headers"`
	// What the body must be. Without a rule here the body is read to its end, within the attempt's
	// limits, and not kept.
	Body BodyRules `yaml:"body"`
	// How much of a body is matched. A longer one fails with reason "assertion". Without body rules it
	// has no effect. The bodies that are matched at the same time take 256 MiB together, what each has below
	// 16 KiB and one that is greater than all that apart; who finds no room fails with "local_resource".
	MaxBody Size `yaml:"max_body"`
}

// HeaderRule is what one header must be; a text alone is what its value must equal. Several rules must
// all hold, for the same value.
type HeaderRule struct {
	// The value is this text.
	Equals string `yaml:"equals"`
	// The value contains this text.
	Contains string `yaml:"contains"`
	// The value matches this regular expression (RE2), anywhere unless ^ and $ say otherwise.
	Matches Regexp `yaml:"matches"`
	// The header must not be there at all. Beside another rule it makes no sense.
	Absent bool `yaml:"absent"`
}

// BodyRules are what a body must be. Each is one or a list, and all of them must hold.
type BodyRules struct {
	// The body contains each of these texts.
	Contains Texts `yaml:"contains" alone:"true"`
	// The body contains none of these texts.
	NotContains Texts `yaml:"not_contains"`
	// The body matches each of these regular expressions (RE2), anywhere unless \A and \z say otherwise.
	Matches Regexps `yaml:"matches"`
	// The body matches none of these regular expressions (RE2).
	NotMatches Regexps `yaml:"not_matches"`
}

// defaultRetryable is the set of statuses that pass by themselves.
func defaultRetryable() StatusSet {
	return StatusSet{{408, 408}, {429, 429}, {500, 500}, {502, 502}, {503, 503}, {504, 504}}
}

// newHTTP holds the defaults of the kind.
func newHTTP(h *house) probe.Settings {
	return &HTTP{
		Method:          "GET",
		RetryableStatus: defaultRetryable(),
		Redirects:       10,
		Version:         "auto",
		Expect:          HTTPExpect{Status: StatusSet{{200, 299}}, MaxBody: 10 << 20},
		house:           h,
	}
}

// Target is the URL, redacted.
func (s *HTTP) Target() string {
	u, err := parseURL(s.URL)
	if err != nil {
		return ""
	}
	return s.shown(redactWhole(u))
}

// shown is a redacted URL: the file's own text where nothing had to be left out, so that it is held once.
func (s *HTTP) shown(text string) string {
	if text != s.URL {
		return text
	}
	return s.URL
}

// Host is where the URL leads, host:port.
func (s *HTTP) Host() string {
	u, err := parseURL(s.URL)
	if err != nil {
		return ""
	}
	return address(u)
}
