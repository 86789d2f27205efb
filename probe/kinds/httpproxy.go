package kinds

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http/httpproxy"

	"sonde/probe"
	"sonde/probe/conn"
)

// HTTPProxy says what requests go through. A scalar is its url.
type HTTPProxy struct {
	// none; the URL of an HTTP proxy, http:// or, where the proxy itself is spoken to by TLS, https://, whose
	// user and password are sent to it as Basic; or environment: what HTTPS_PROXY, HTTP_PROXY and NO_PROXY
	// of the sonde process say when the file is read, in small letters too, and never for this machine itself.
	URL string `yaml:"url" fill:"url" example:"http://proxy.example.com:3128" preset:"none"`
	// Hosts that are asked without the proxy: a name, which stands for those below it as well, a name after
	// a dot for those below it alone, an IP address or a network of them such as 10.0.0.0/8, each with a
	// :port or without; * is all. It serves a url; environment has NO_PROXY.
	NoProxy Texts `yaml:"no_proxy"`
	// Headers for the proxy, by name: with CONNECT, and with the requests of http URLs, which it may pass on.
	Headers map[string]string `yaml:"headers"`
}

// UnmarshalText takes none, environment or the URL of a proxy, which Check looks at. It stands for all of a
// mapping: what a profile says beside its url is none of this proxy's.
func (p *HTTPProxy) UnmarshalText(b []byte) error {
	*p = HTTPProxy{URL: string(b)}
	return nil
}

// What a proxy may be beside a URL.
const (
	noProxy          = "none"
	environmentProxy = "environment"
)

// proxies choose the proxy of each request.
type proxies struct {
	// by scheme of the request's URL.
	by   map[string]*conn.Proxy
	skip func(*url.URL) bool
}

// of is the proxy that a URL is asked for through; nil is none.
func (p *proxies) of(u *url.URL) *conn.Proxy {
	if p == nil || p.skip(u) {
		return nil
	}
	return p.by[u.Scheme]
}

// proxies makes what chooses proxies; nil where there is none to choose. The TLS is that of other hosts than
// the probe's own.
func (s *HTTP) proxies(tls *conn.TLS) (*proxies, error) {
	switch s.Proxy.URL {
	case noProxy, "":
		return nil, nil
	case environmentProxy:
		return s.fromEnvironment(tls)
	}
	u, err := parseProxy(s.Proxy.URL)
	if err != nil {
		return nil, &probe.Fault{Place: "proxy", Text: "is no proxy that can be used, " + err.Error()}
	}
	hosts, fault := unproxiedHosts(s.Proxy.NoProxy)
	if fault != nil {
		return nil, fault
	}
	one := s.proxy(u, tls)
	return &proxies{map[string]*conn.Proxy{"http": one, "https": one}, hosts.have}, nil
}

// fromEnvironment makes what chooses proxies as other programs do by the environment.
func (s *HTTP) fromEnvironment(tls *conn.TLS) (*proxies, error) {
	env := s.house.environment()
	if env.HTTPProxy == "" && env.HTTPSProxy == "" {
		return nil, nil
	}
	p := &proxies{by: map[string]*conn.Proxy{}}
	for scheme, text := range map[string]string{"http": env.HTTPProxy, "https": env.HTTPSProxy} {
		if text == "" {
			continue
		}
		u, err := parseProxy(text)
		if err != nil && !strings.Contains(text, "://") {
			u, err = parseProxy("http://" + text) // as all programs take it
		}
		if err != nil {
			return nil, &probe.Fault{Place: "proxy", Text: fmt.Sprintf("is environment, whose %s_PROXY is no proxy that can be used, %s", strings.ToUpper(scheme), err)}
		}
		p.by[scheme] = s.proxy(u, tls)
	}
	choose := env.ProxyFunc()
	p.skip = func(u *url.URL) bool {
		chosen, err := choose(u)
		return err != nil || chosen == nil
	}
	return p, nil
}

// proxy is the proxy at a URL as connections take it.
func (s *HTTP) proxy(u *url.URL, tls *conn.TLS) *conn.Proxy {
	h := http.Header{"User-Agent": s.house.header["User-Agent"]}
	for name, value := range s.Proxy.Headers {
		h.Set(name, value)
	}
	if u.User != nil {
		h.Set("Proxy-Authorization", basic(u.User))
	}
	p := &conn.Proxy{Address: address(u), Header: h}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %q\n", u.Scheme, p.Address)
	for _, name := range slices.Sorted(maps.Keys(h)) {
		fmt.Fprintf(sum, "%q %q\n", name, h[name])
	}
	if u.Scheme == "https" {
		p.TLS = tls
		fmt.Fprintf(sum, "%q\n", tls.Key)
	}
	p.Key = fmt.Sprintf("%x", sum.Sum(nil))
	return p
}

// secrets puts in what must not be shown of the proxies.
func (p *proxies) secrets(s *secrets) {
	if p == nil {
		return
	}
	for _, one := range p.by {
		s.headers(one.Header)
	}
}

// checkProxy reports what is wrong with the proxy.
func (s *HTTP) checkProxy(env probe.Env) (faults []probe.Fault) {
	p := &s.Proxy
	chosen, err := s.proxies(plainTLS)
	if err != nil {
		faults = append(faults, *err.(*probe.Fault))
	}
	if u, err := parseURL(s.URL); err == nil && u.Scheme == "http" && s.Version != "h2c" && chosen.of(u) != nil && s.header("Host") != "" {
		faults = append(faults, probe.Fault{Place: "headers.Host", Warning: true, Text: "has no effect, since a proxy goes by the URL's host, want that host in the URL"})
	}
	switch p.URL {
	case noProxy:
		return faults
	case "":
		faults = append(faults, p.idle()...)
	}
	for _, name := range sortedKeys(p.Headers) {
		place := "proxy.headers." + name
		switch _, own := framing[textproto.CanonicalMIMEHeaderKey(name)]; {
		case !httpguts.ValidHeaderFieldName(name):
			faults = append(faults, probe.Fault{Place: place, Text: "has a name that no header can have, want letters, digits and hyphens"})
		case !httpguts.ValidHeaderFieldValue(p.Headers[name]):
			faults = append(faults, probe.Fault{Place: place, Text: "has a value that no header can have, " + wantLine(p.Headers[name], env)})
		case own, strings.EqualFold(name, "Host"), strings.EqualFold(name, "Connection"):
			faults = append(faults, probe.Fault{Place: place, Text: "cannot be set here: the protocol sets it"})
		case strings.EqualFold(name, authorization) && s.proxyUser():
			faults = append(faults, probe.Fault{Place: place, Text: "stands beside a user in the URL of the proxy, want one of them"})
		}
	}
	if s.header(authorization) != "" && p.URL != "" {
		faults = append(faults, probe.Fault{Place: "headers." + authorization, Text: "would go to the target, want a user in the URL of the proxy, or proxy.headers"})
	}
	if len(p.NoProxy) > 0 && p.URL == environmentProxy {
		faults = append(faults, probe.Fault{Place: "proxy.no_proxy", Text: "stands beside environment, want the variable NO_PROXY, or the URL of the proxy"})
	}
	return faults
}

// idle reports what is said of a proxy that has no url.
func (p *HTTPProxy) idle() (faults []probe.Fault) {
	if len(p.NoProxy) > 0 {
		faults = append(faults, probe.Fault{Place: "proxy.no_proxy", Text: "has no effect without a url, want one beside it, such as http://proxy.example.com:3128"})
	}
	if len(p.Headers) > 0 {
		faults = append(faults, probe.Fault{Place: "proxy.headers", Text: "have no effect without a url, want one beside them, such as http://proxy.example.com:3128"})
	}
	return faults
}

// authorization is the header with which a proxy is told who asks.
const authorization = "Proxy-Authorization"

// proxyUser is true of a URL of a proxy with a user in it.
func (s *HTTP) proxyUser() bool {
	u, err := parseProxy(s.Proxy.URL)
	return err == nil && u.User != nil
}

// environment is what the variables of the process say of proxies.
func (h *house) environment() *httpproxy.Config {
	if h.proxies == nil {
		return &httpproxy.Config{}
	}
	return h.proxies()
}

// What is wrong with the URL of a proxy. None of these quotes it: it may hold a password.
var (
	errProxy      = errors.New("want none, environment, or the URL of an HTTP proxy such as http://proxy.example.com:3128")
	errProxySOCKS = errors.New("it is a SOCKS proxy, which sonde does not speak; want an HTTP proxy such as http://proxy.example.com:3128")
	errProxyPath  = errors.New("want no path, query or fragment in the URL of a proxy")
)

// parseProxy reads the URL of a proxy.
func parseProxy(text string) (*url.URL, error) {
	u, err := parseURL(text)
	switch {
	case u != nil && strings.HasPrefix(u.Scheme, "socks"):
		return nil, errProxySOCKS
	case err == errPort:
		return nil, err
	case err != nil:
		return nil, errProxy
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return nil, errProxyPath
	}
	return u, nil
}
