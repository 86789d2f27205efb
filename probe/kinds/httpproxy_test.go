package kinds

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/http/httpproxy"

	"sonde/probe"
	"sonde/probe/conn/memnet"
)

const gate = "http://192.0.2.3:3128"

func throughProxy(p HTTPProxy) change { return func(s *HTTP) { s.Proxy = p } }

func TestHTTPProxyCheck(t *testing.T) {
	t.Parallel()
	const noProxyURL = "proxy is no proxy that can be used, "
	const plainURL = " to the proxy over plain http, where everything on the way to it can read it, want an https proxy"
	for _, test := range []struct {
		name   string
		proxy  HTTPProxy
		change change
		want   []string
	}{
		{"none", HTTPProxy{URL: "none", NoProxy: Texts{"x"}, Headers: map[string]string{"": ""}}, nil, nil},
		{"no url", HTTPProxy{NoProxy: Texts{"x"}, Headers: map[string]string{"X-Team": "a"}}, nil, []string{
			"proxy.no_proxy has no effect without a url, want one beside it, such as http://proxy.example.com:3128",
			"proxy.headers have no effect without a url, want one beside them, such as http://proxy.example.com:3128",
		}},
		{"a proxy", HTTPProxy{URL: gate}, nil, nil},
		{"with TLS and a user", HTTPProxy{URL: "https://u:hunter2@p.example/"}, nil, nil},
		{"SOCKS", HTTPProxy{URL: "socks5h://u:hunter2@p.example:1080"}, nil,
			[]string{noProxyURL + "it is a SOCKS proxy, which sonde does not speak; want an HTTP proxy such as http://proxy.example.com:3128"}},
		{"no scheme", HTTPProxy{URL: "u:hunter2@p.example:3128"}, nil, []string{noProxyURL + errProxy.Error()}},
		{"no URL", HTTPProxy{URL: "http://u:hunter%zz@p.example"}, nil, []string{noProxyURL + errProxy.Error()}},
		{"no port", HTTPProxy{URL: "http://p.example:0"}, nil, []string{noProxyURL + "want a port from 1 to 65535 in the URL"}},
		{"a path", HTTPProxy{URL: "http://p.example/proxy.pac"}, nil, []string{noProxyURL + errProxyPath.Error()}},
		{"a plain user", HTTPProxy{URL: "http://u:hunter2@p.example:3128"}, nil, []string{"warning: proxy sends its user and password" + plainURL}},
		{"a plain user on loopback", HTTPProxy{URL: "http://u:hunter2@127.0.0.1:3128"}, nil, nil},
		{"a plain header", HTTPProxy{URL: gate, Headers: map[string]string{"proxy-authorization": "Bearer x"}}, nil,
			[]string{"warning: proxy.headers.proxy-authorization is sent" + plainURL}},
		{"a target's credentials on the way to a proxy", HTTPProxy{URL: gate}, aim("http://u:p@localhost/"),
			[]string{"warning: url sends its user and password over plain http, where everything on the way can read it, want https"}},
		{"headers", HTTPProxy{URL: "https://u:p@p.example", Headers: map[string]string{"a b": "x", "X-Line": "a\nb", "Host": "x", "Content-Length": "1", "Proxy-Authorization": "x"}}, nil,
			[]string{
				"proxy.headers.Content-Length cannot be set here: the protocol sets it",
				"proxy.headers.Host cannot be set here: the protocol sets it",
				"proxy.headers.Proxy-Authorization stands beside a user in the URL of the proxy, want one of them",
				"proxy.headers.X-Line has a value that no header can have, want a text of one line",
				"proxy.headers.a b has a name that no header can have, want letters, digits and hyphens",
			}},
		{"the target's headers", HTTPProxy{URL: gate}, header("proxy-authorization", "x"),
			[]string{"headers.Proxy-Authorization would go to the target, want a user in the URL of the proxy, or proxy.headers"}},
		{"another host", HTTPProxy{URL: gate}, func(s *HTTP) { s.URL, s.Headers = "http://a.example/", map[string]string{"host": "b.example"} },
			[]string{"warning: headers.Host has no effect, since a proxy goes by the URL's host, want that host in the URL"}},
		{"another host in a tunnel", HTTPProxy{URL: gate}, header("host", "b.example"), nil},
		{"no_proxy", HTTPProxy{URL: gate, NoProxy: Texts{"a.example,b.example", "10.0.0.0/33"}}, nil,
			[]string{`proxy.no_proxy[0] is "a.example,b.example", want a host, one after a dot, an IP address, a network such as 10.0.0.0/8, or *`}},
		{"no_proxy beside environment", HTTPProxy{URL: "environment", NoProxy: Texts{"a.example"}}, nil,
			[]string{"proxy.no_proxy stands beside environment, want the variable NO_PROXY, or the URL of the proxy"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newHTTP(newHouse(nil, "")).(*HTTP)
			s.URL, s.Proxy = "https://www.example.com/", test.proxy
			if test.change != nil {
				test.change(s)
			}
			got := texts(s.Check(standard))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if strings.Contains(fmt.Sprint(got), "hunter") {
				t.Errorf("a password is in %v", got)
			}
		})
	}
}

func TestNoProxy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule   string
		has    string // URLs with a blank between
		hasNot string
	}{
		{"a.example", "http://a.example/ https://A.example./ http://b.a.example:81/", "http://ba.example/ http://example/"},
		{".a.example", "http://b.a.example/", "http://a.example/"},
		{"*.a.example", "http://b.a.example/", "http://a.example/"},
		{"A.example:8080", "http://a.example:8080/", "http://a.example/"},
		{"a.example:443", "https://a.example/", "http://a.example/"},
		{"bücher.example", "http://bücher.example/", "http://bucher.example/"},
		{"10.0.0.0/8", "http://10.1.2.3/ https://[::ffff:10.1.2.3]/", "http://11.1.2.3/ http://10.example/"},
		{"10.1.2.3", "http://10.1.2.3:99/", "http://10.1.2.4/"},
		{"10.1.2.3:99", "http://10.1.2.3:99/", "http://10.1.2.3/"},
		{"fd00::/8", "http://[fd00::1]/", "http://[fe00::1]/ http://10.1.2.3/"},
		{"::1", "http://[::1]:80/", "http://localhost/"},
		{"[::1]:81", "http://[::1]:81/", "http://[::1]/"},
		{"localhost", "http://localhost:1/", "http://127.0.0.1/"},
		{"*", "http://a.example/ http://10.1.2.3/", ""},
	} {
		rules, fault := unproxiedHosts([]string{"other.example", test.rule})
		if fault != nil {
			t.Errorf("%s: %v", test.rule, fault)
			continue
		}
		for _, url := range append(strings.Fields(test.has), strings.Fields(test.hasNot)...) {
			u, err := parseURL(url)
			if err != nil {
				t.Fatal(err)
			}
			if want := slices.Contains(strings.Fields(test.has), url); rules.have(u) != want {
				t.Errorf("%s has %s: %v, want %v", test.rule, url, !want, want)
			}
		}
	}
	for _, rule := range []string{"", ".", "*.", "http://a.example", "a.example/8", "a b", "a.example:0", "a.example:x", "u@a.example", "a*b", "*a.example"} {
		if r, fault := unproxiedHosts([]string{rule}); fault == nil {
			t.Errorf("%q is %+v, want a fault", rule, r)
		}
	}
}

func TestHTTPProxyOfTheEnvironment(t *testing.T) {
	t.Parallel()
	h := newHouse(nil, "")
	env := &httpproxy.Config{HTTPProxy: "plain.example:3128", HTTPSProxy: "https://u:p@secure.example", NoProxy: "direct.example"}
	h.proxies = func() *httpproxy.Config { return env }
	s := newHTTP(h).(*HTTP)
	s.URL, s.Proxy.URL = "https://www.example.com/", environmentProxy
	if faults := s.Check(standard); len(faults) > 0 {
		t.Error(faults)
	}
	p, err := s.proxies(plainTLS)
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"http://a.example/": "plain.example:3128", "https://a.example/": "secure.example:443", "https://direct.example/": "",
		"http://localhost/": "", "http://127.0.0.1/": "",
	} {
		u, _ := parseURL(url)
		got := ""
		if one := p.of(u); one != nil {
			got = one.Address
		}
		if got != want {
			t.Errorf("%s is asked through %q, want %q", url, got, want)
		}
	}
	env.HTTPProxy = "socks5://u:hunter2@p.example"
	if got := texts(s.Check(standard)); len(got) != 1 || !strings.HasPrefix(got[0], "proxy is environment, whose HTTP_PROXY is no proxy that can be used, it is a SOCKS proxy") {
		t.Error(got)
	}
	h.proxies = nil
	if p, err := s.proxies(plainTLS); p != nil || err != nil {
		t.Errorf("without an environment there is %v, %v", p, err)
	}
}

// TestHTTPThroughAProxyOnTheWire sees what a proxy is asked for an http URL: in absolute form, with the headers
// that are the proxy's; no loopback is excepted, and what is in no_proxy is asked directly, also after a redirect.
func TestHTTPThroughAProxyOnTheWire(t *testing.T) {
	t.Parallel()
	inBubble(t, func(w *world) {
		var asked []string
		w.serve("192.0.2.3:3128", func(c *memnet.Conn, r *bufio.Reader) {
			for {
				req, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				asked = append(asked, fmt.Sprintf("%s %s host=%s %v %v", req.Method, req.RequestURI, req.Host, req.Header["Proxy-Authorization"], req.Header["X-Via"]))
				io.WriteString(c, "HTTP/1.1 307 X\r\nLocation: http://192.0.2.2/next\r\nContent-Length: 0\r\n\r\n")
			}
		})
		var direct http.Header
		w.serve(there, func(c *memnet.Conn, r *bufio.Reader) {
			req, _ := http.ReadRequest(r)
			direct = req.Header
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nu5e")
		})
		s := w.http("http://127.0.0.1:81?a=%20b", throughProxy(HTTPProxy{
			URL: "http://u5er:pa55%2Fword@192.0.2.3:3128", NoProxy: Texts{there}, Headers: map[string]string{"x-via": "1"},
		}), expectStatus(StatusRange{201, 201}))
		a := w.try(s)
		want := []string{"GET http://127.0.0.1:81/?a=%20b host=127.0.0.1:81 [Basic dTVlcjpwYTU1L3dvcmQ=] [1]"}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
		if len(direct) == 0 || direct["Proxy-Authorization"] != nil || direct["X-Via"] != nil {
			t.Errorf("the target was sent %v", direct)
		}
		if a.Reason != probe.ReasonStatus || a.RemoteAddress != there || a.HTTP.Hops[0].RemoteAddress != "192.0.2.3:3128" {
			t.Errorf("the record is %+v", a)
		}
	})
}

// TestHTTPProxyCredentialsAreSecret has a proxy say what it was sent.
func TestHTTPProxyCredentialsAreSecret(t *testing.T) {
	t.Parallel()
	inBubble(t, func(w *world) {
		w.serve("192.0.2.3:3128", func(c *memnet.Conn, r *bufio.Reader) {
			http.ReadRequest(r)
			io.WriteString(c, "you dTVlcjpwYTU1d29yZA==/pa55word sent\r\n\r\n")
		})
		for _, url := range []string{"http://" + here, "https://" + here} {
			p := prober(t, w.http(url, throughProxy(HTTPProxy{URL: "http://u5er:pa55word@192.0.2.3:3128"})), standard)
			a := p.Probe(context.Background(), probe.Try{Number: 1, Key: probe.NewKey()})
			text := fmt.Sprint(a.Err)
			if a.OK || strings.Contains(text, "pa55word") || strings.Contains(text, "dTVl") || !strings.Contains(text, probe.SecretText) {
				t.Errorf("%s: the error is %s", url, text)
			}
		}
	})
}
