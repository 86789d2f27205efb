package kinds

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"sonde/probe"
	"sonde/probe/conn"
)

// step is one request of an attempt and where it goes.
type step struct {
	route   *conn.Route
	request *http.Request
}

// isRedirect is true of the statuses that lead elsewhere by a Location.
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// follows reports whether the response is a redirect that is followed, and not a status to judge.
func (p *httpProber) follows(resp *http.Response) bool {
	return p.redirects > 0 && isRedirect(resp.StatusCode) && resp.Header.Get("Location") != ""
}

// next is the step to which a redirect leads, or why there is none.
func (x *exchange) next(from step, resp *http.Response) (step, *conn.Failure) {
	p := x.prober
	if len(x.hops) == p.redirects {
		return step{}, redirectFailure(probe.ReasonRedirectLoop, fmt.Errorf("one more redirect than the %d that are followed", p.redirects))
	}
	u, err := locate(from.request.URL, resp.Header.Get("Location"))
	if err != nil {
		return step{}, redirectFailure(probe.ReasonRedirectInvalid, err)
	}
	if p.secrets.toldBy(u.Hostname(), p.url.Hostname()) {
		return step{}, redirectFailure(probe.ReasonRedirectInvalid, errTold)
	}
	r := &http.Request{Method: redirectedMethod(from.request.Method, resp.StatusCode), URL: u, Header: from.request.Header, Close: from.request.Close}
	if !sameOrigin(from.request.URL, u) {
		r.Header = withoutCredentials(r.Header)
		x.unkeyed = true
	} else if !leadsByName(resp.Header.Get("Location")) {
		r.Host = from.request.Host
	}
	if r.Method == from.request.Method {
		p.carry(r, from.request)
	} else {
		x.turned = true
		r.Header = withoutContent(r.Header)
	}
	return step{p.routeTo(u), r}, nil
}

func redirectFailure(reason probe.Reason, err error) *conn.Failure {
	return &conn.Failure{Reason: reason, Err: err}
}

// errLocation quotes nothing: a Location can hold what is secret.
var errLocation = errors.New("the Location of a redirect cannot be read as a URL")

// errTold quotes nothing, for the same reason.
var errTold = errors.New("a redirect leads to a host whose name holds a credential of this probe")

// locate is where a Location leads. A user in it is not ours to send, and is left out.
func locate(base *url.URL, location string) (*url.URL, error) {
	ref, err := url.Parse(location)
	if err != nil {
		return nil, errLocation
	}
	ref.RawPath = escaped(ref.RawPath, keptInPath)
	u := base.ResolveReference(ref)
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	switch err := fit(u); {
	case err == nil && strings.Contains(u.Host, "%") && u.Host != base.Host:
		return nil, errLocation // a zone (RFC 6874) is the prober's own affair; a target that names one names nothing
	case err == nil:
		return u, nil
	case err == errScheme:
		return nil, errors.New("a redirect leads to what is neither http nor https")
	default:
		return nil, errLocation
	}
}

// leadsByName reports whether a Location names a host, so that a Host header of the file has had its use.
func leadsByName(location string) bool {
	u, err := url.Parse(location)
	return err != nil || u.Host != ""
}

// redirectedMethod is the method of the request that follows a redirect.
func redirectedMethod(method string, status int) string {
	switch {
	case status == http.StatusSeeOther && method != "GET" && method != "HEAD":
		return "GET"
	case (status == http.StatusMovedPermanently || status == http.StatusFound) && method == "POST":
		return "GET"
	}
	return method
}

// carry takes the body along.
func (p *httpProber) carry(to, from *http.Request) {
	if from.ContentLength > 0 {
		to.Body, to.ContentLength = newReplay(p.body), from.ContentLength
	}
}

// routeTo is the route to where a redirect leads.
func (p *httpProber) routeTo(u *url.URL) *conn.Route {
	if sameOrigin(p.url, u) {
		return p.route
	}
	r := &conn.Route{Address: address(u), Version: p.route.Version, Connection: p.route.Connection, Due: p.route.Due, Proxy: p.proxies.of(u)}
	if u.Scheme == "https" {
		r.TLS = p.abroad
		if u.Hostname() == p.url.Hostname() {
			r.TLS = p.tls
		}
	}
	if r.TLS == nil && r.Version == conn.V2 || r.TLS != nil && r.Version == conn.H2C {
		r.Version = conn.Auto
	}
	return r
}

// withoutCredentials is what may be sent to another host.
func withoutCredentials(h http.Header) http.Header { return without(h, probe.IsSecretParameter) }

// withoutContent is what is sent when the body has been dropped.
func withoutContent(h http.Header) http.Header {
	return without(h, func(name string) bool {
		switch name {
		case "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Digest", "Content-Digest":
			return true
		}
		return false
	})
}

// without is a copy of the header less the names for which drop is true.
func without(h http.Header, drop func(name string) bool) http.Header {
	kept := make(http.Header, len(h))
	for name, values := range h {
		if !drop(name) {
			kept[name] = values
		}
	}
	return kept
}
