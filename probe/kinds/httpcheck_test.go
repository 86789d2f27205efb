package kinds

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHTTPCheck(t *testing.T) {
	t.Parallel()
	const noURL = "url is no URL that can be probed, "
	for _, test := range []struct {
		name   string
		change func(s *HTTP)
		want   []string
	}{
		{"good", func(*HTTP) {}, nil},
		{"no scheme", func(s *HTTP) { s.URL = "www.example.com/" }, []string{noURL + "want a URL that begins with http:// or https://; did you mean https://www.example.com/?"}},
		{"another scheme", func(s *HTTP) { s.URL = "ftp://h/" }, []string{noURL + "want a URL that begins with http:// or https://"}},
		{"a port without scheme", func(s *HTTP) { s.URL = "localhost:80" }, []string{noURL + "want a URL that begins with http:// or https://; did you mean http://localhost:80?"}},
		{"a user without scheme", func(s *HTTP) { s.URL = "me:hunter2@www.example.com/" }, []string{noURL + "want a URL that begins with http:// or https://"}},
		{"a key without scheme", func(s *HTTP) { s.URL = "www.example.com/?key=hunter2" }, []string{noURL + "want a URL that begins with http:// or https://"}},
		{"no host", func(s *HTTP) { s.URL = "http:///x" }, []string{noURL + "want a URL with a host, such as https://www.example.com/"}},
		{"bad port", func(s *HTTP) { s.URL = "http://h:70000/" }, []string{noURL + "want a port from 1 to 65535 in the URL"}},
		{"a password that breaks the URL", func(s *HTTP) { s.URL = "http://u:hunter%zz@h/" },
			[]string{noURL + "want an http or https URL, such as https://www.example.com/"}},
		{"a name of other letters", func(s *HTTP) { s.URL = "https://bücher.example:8443/" }, nil},
		{"2 without TLS", func(s *HTTP) { s.URL, s.Version = "http://h/", "2" },
			[]string{"version is 2, which needs an https URL, want h2c for HTTP/2 without TLS"}},
		{"h2c with TLS", func(s *HTTP) { s.Version = "h2c" },
			[]string{"version is h2c, which needs an http URL, want 2 for HTTP/2 over TLS"}},
		{"tls without TLS", func(s *HTTP) { s.URL, s.TLS = "http://h/", &TLS{} },
			[]string{"warning: tls serves an http URL only where it redirects to https, want an https URL"}},
		{"certificate alone", func(s *HTTP) { s.TLS = &TLS{CertFile: "c"} }, []string{"tls.cert_file stands without key_file, want both"}},
		{"key alone", func(s *HTTP) { s.TLS = &TLS{KeyFile: "k"} }, []string{"tls.key_file stands without cert_file, want both"}},
		{"small method", func(s *HTTP) { s.Method = "get" }, []string{`method is "get", want GET: methods are told apart by case`}},
		{"method of one's own", func(s *HTTP) { s.Method = "Purge" }, nil},
		{"no method", func(s *HTTP) { s.Method = "GET /" }, []string{`method is "GET /", want a method such as GET or POST`}},
		{"proxies' method", func(s *HTTP) { s.Method = "CONNECT" }, []string{`method is "CONNECT", want another method: CONNECT is for proxies`}},
		{"two bodies", func(s *HTTP) { s.Method, s.Body, s.Form = "POST", "x", map[string]Texts{"a": {"b"}} },
			[]string{"form stands beside body, want one of body, json and form"}},
		{"a body with GET", func(s *HTTP) { s.JSON = true }, []string{"warning: json is sent with GET, want a method such as POST"}},
		{"a body with TRACE", func(s *HTTP) { s.Method, s.Body = "TRACE", "x" }, []string{"body cannot be sent with TRACE, want another method"}},
		{"no JSON", func(s *HTTP) { s.Method, s.JSON = "POST", math.NaN() }, []string{"json cannot be written as JSON: unsupported value: NaN"}},
		{"headers", func(s *HTTP) {
			s.Headers = map[string]string{"a b": "x", "content-length": "3", "X-Line": "a\nb", "x-line": "a", "Connection": "close", "Host": "other one"}
		}, []string{
			"headers.Connection cannot be set here, want connection: {reuse: false} to close after each attempt",
			"headers.Host has a value that no host can have, want a name such as www.example.com",
			"headers.X-Line has a value that no header can have, want a text of one line",
			"headers.a b has a name that no header can have, want letters, digits and hyphens",
			"headers.content-length cannot be set here: it is the body's",
			"headers.x-line is X-Line once more, want it once",
		}},
		{"two authorizations", func(s *HTTP) { s.URL, s.Headers = "https://u:p@h/", map[string]string{"authorization": "x"} },
			[]string{"headers.Authorization stands beside a user in the URL, want one of them"}},
		{"an upgrade over HTTP/2", func(s *HTTP) { s.Headers = map[string]string{"Connection": "Upgrade", "Upgrade": "websocket"} },
			[]string{"version is auto, want 1.1 where headers ask for an upgrade"}},
		{"two keys", func(s *HTTP) { s.IdempotencyKey, s.Headers = "auto", map[string]string{"idempotency-key": "x"} },
			[]string{"idempotency_key stands beside the header Idempotency-Key, want one of them"}},
		{"a key that does nothing", func(s *HTTP) { s.Headers = map[string]string{"Idempotency-Key": "x"} },
			[]string{"warning: headers have an Idempotency-Key, which does not make repeating safe by itself, want idempotency_key"}},
		{"no key", func(s *HTTP) { s.IdempotencyKey = "a\nb" }, []string{"idempotency_key is no value that a header can have, want auto or a text of one line"}},
		{"nothing passes", func(s *HTTP) { s.Expect.Status = StatusSet{} },
			[]string{"warning: expect.status is [], want a status: without one nothing passes"}},
		{"a redirect that is followed", func(s *HTTP) { s.Expect.Status = StatusSet{{301, 302}, {308, 308}} },
			[]string{"warning: expect.status is 301-302, 308, but redirects are followed, want redirects: none beside it"}},
		{"a redirect that is not", func(s *HTTP) { s.Expect.Status, s.Redirects = StatusSet{{301, 301}}, 0 }, nil},
		{"header rules", func(s *HTTP) {
			s.Expect.Headers = map[string]HeaderRule{"A": {}, "B": {Absent: true, Contains: "x"}, "C c": {Equals: "x"}, "D": {Absent: true}}
		}, []string{
			"expect.headers.A has no rule, want a text, or one of equals, contains, matches, absent",
			"expect.headers.B.absent is true beside another rule, want it alone",
			"expect.headers.C c has a name that no header can have, want letters, digits and hyphens",
		}},
		{"body rules", func(s *HTTP) {
			s.Method, s.Expect.MaxBody = "HEAD", 2
			s.Expect.Body = BodyRules{Contains: Texts{"a", "long"}, NotContains: Texts{"a", ""}, Matches: Regexps{"x"}, NotMatches: Regexps{"x"}}
		}, []string{
			`expect.body.contains[0] is "a", which is in not_contains, too`,
			"expect.body.contains[1] is longer than max_body 2B",
			`expect.body.matches[0] is "x", which is in not_matches, too`,
			"expect.body.not_contains[1] is empty, want a text: every body contains the empty one",
			"expect.body cannot hold: a response to HEAD has no body",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newHTTP(newHouse(nil, "")).(*HTTP)
			s.URL = "https://www.example.com/"
			test.change(s)
			if diff := cmp.Diff(test.want, texts(s.Check(standard))); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHTTPHostIsInOneForm(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://Example.COM/": "example.com:443", "http://example.com": "example.com:80", "http://example.com:/": "example.com:80",
		"http://[::1]:8080/x": "[::1]:8080", "https://u:p@bücher.example/": "xn--bcher-kva.example:443",
	} {
		s := &HTTP{URL: url}
		if got := s.Host(); got != want {
			t.Errorf("the host of %s is %s, want %s", url, got, want)
		}
	}
}
