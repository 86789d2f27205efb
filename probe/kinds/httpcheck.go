package kinds

import (
	"encoding/json"
	"fmt"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"sonde/probe"
)

// Check reports what the fields owe each other, and warns of what cannot be meant.
func (s *HTTP) Check(env probe.Env) []probe.Fault {
	var faults []probe.Fault
	u, err := parseURL(s.URL)
	if err != nil {
		faults = append(faults, probe.Fault{Place: "url", Text: "is no URL that can be probed, " + err.Error() + withScheme(s.URL) + oddIn(s.URL)})
	} else {
		faults = append(faults, s.checkScheme(u)...)
	}
	faults = append(faults, s.checkMethod()...)
	faults = append(faults, s.checkHeaders(env)...)
	faults = append(faults, s.checkKey()...)
	faults = append(faults, s.checkBody()...)
	faults = append(faults, s.TLS.check()...)
	faults = append(faults, s.checkProxy(env)...)
	faults = append(faults, s.checkExpect()...)
	return append(faults, s.advise(env)...)
}

// checkScheme holds the URL against what depends on whether it is http or https.
func (s *HTTP) checkScheme(u *url.URL) (faults []probe.Fault) {
	https := u.Scheme == "https"
	switch {
	case s.Version == "2" && !https:
		faults = append(faults, probe.Fault{Place: "version", Text: "is 2, which needs an https URL, want h2c for HTTP/2 without TLS"})
	case s.Version == "h2c" && https:
		faults = append(faults, probe.Fault{Place: "version", Text: "is h2c, which needs an http URL, want 2 for HTTP/2 over TLS"})
	}
	if s.TLS != nil && !https {
		faults = append(faults, probe.Fault{Place: "tls", Text: "serves an http URL only where it redirects to https, want an https URL", Warning: true})
	}
	if u.User != nil && s.header("Authorization") != "" {
		faults = append(faults, probe.Fault{Place: "headers.Authorization", Text: "stands beside a user in the URL, want one of them"})
	}
	if s.header("Upgrade") != "" && https && s.Version != "1.1" {
		faults = append(faults, probe.Fault{Place: "version", Text: fmt.Sprintf("is %s, want 1.1 where headers ask for an upgrade", s.Version)})
	}
	return faults
}

// header is the value of a header of the file, whatever the case of its name; a name may be declared
// in one case only.
func (s *HTTP) header(name string) string {
	for declared, value := range s.Headers {
		if textproto.CanonicalMIMEHeaderKey(declared) == name {
			return value
		}
	}
	return ""
}

func (s *HTTP) checkMethod() []probe.Fault {
	switch upper := strings.ToUpper(s.Method); {
	case !httpguts.ValidHeaderFieldName(s.Method): // a method is a token, as a header's name is
		return []probe.Fault{{Place: "method", Text: fmt.Sprintf("is %q, want a method such as GET or POST", s.Method)}}
	case upper == "CONNECT":
		return []probe.Fault{{Place: "method", Text: fmt.Sprintf("is %q, want another method: CONNECT is for proxies", s.Method)}}
	case s.Method != upper && (probe.Idempotent(upper) || upper == "POST" || upper == "PATCH"):
		return []probe.Fault{{Place: "method", Text: fmt.Sprintf("is %q, want %s: methods are told apart by case", s.Method, upper)}}
	}
	return nil
}

// framing are the headers that the protocol itself sets.
var framing = map[string]string{
	"Content-Length":    "it is the body's",
	"Transfer-Encoding": "the body is sent whole",
	"Trailer":           "no trailer is sent",
	"Keep-Alive":        "see connection",
	"Proxy-Connection":  "see connection",
	"Http2-Settings":    "see version",
}

func (s *HTTP) checkHeaders(env probe.Env) (faults []probe.Fault) {
	seen := map[string]string{}
	for _, name := range sortedKeys(s.Headers) {
		place := "headers." + name
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		reason, own := framing[canonical]
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			faults = append(faults, probe.Fault{Place: place, Text: "has a name that no header can have, want letters, digits and hyphens"})
		case !httpguts.ValidHeaderFieldValue(s.Headers[name]):
			faults = append(faults, probe.Fault{Place: place, Text: "has a value that no header can have, " + wantLine(s.Headers[name], env)})
		case canonical == "Host" && !httpguts.ValidHostHeader(s.Headers[name]):
			faults = append(faults, probe.Fault{Place: place, Text: "has a value that no host can have, want a name such as www.example.com"})
		case seen[canonical] != "":
			faults = append(faults, probe.Fault{Place: place, Text: "is " + seen[canonical] + " once more, want it once"})
		case own:
			faults = append(faults, probe.Fault{Place: place, Text: "cannot be set here: " + reason})
		case canonical == "Connection" && !strings.EqualFold(s.Headers[name], "upgrade"):
			faults = append(faults, probe.Fault{Place: place, Text: "cannot be set here, want connection: {reuse: false} to close after each attempt"})
		}
		seen[canonical] = name
	}
	return faults
}

// sortedKeys puts faults into an order that does not change.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (s *HTTP) checkKey() []probe.Fault {
	header := s.header("Idempotency-Key") != ""
	switch {
	case s.IdempotencyKey != "" && header:
		return []probe.Fault{{Place: "idempotency_key", Text: "stands beside the header Idempotency-Key, want one of them"}}
	case header:
		return []probe.Fault{{Place: "headers", Warning: true,
			Text: "have an Idempotency-Key, which does not make repeating safe by itself, want idempotency_key"}}
	case !httpguts.ValidHeaderFieldValue(s.IdempotencyKey):
		return []probe.Fault{{Place: "idempotency_key", Text: "is no value that a header can have, want auto or a text of one line"}}
	}
	return nil
}

func (s *HTTP) checkBody() (faults []probe.Fault) {
	var given []string
	for _, one := range []struct {
		name string
		is   bool
	}{{"body", s.Body != ""}, {"json", s.JSON != nil}, {"form", s.Form != nil}} {
		if one.is {
			given = append(given, one.name)
		}
	}
	switch {
	case len(given) > 1:
		return []probe.Fault{{Place: given[1], Text: "stands beside " + given[0] + ", want one of body, json and form"}}
	case len(given) == 1 && (s.Method == "GET" || s.Method == "HEAD"):
		faults = append(faults, probe.Fault{Place: given[0], Text: "is sent with " + s.Method + ", want a method such as POST", Warning: true})
	case len(given) == 1 && s.Method == "TRACE":
		faults = append(faults, probe.Fault{Place: given[0], Text: "cannot be sent with TRACE, want another method"})
	}
	if _, err := json.Marshal(s.JSON); err != nil {
		faults = append(faults, probe.Fault{Place: "json", Text: "cannot be written as JSON: " + strings.TrimPrefix(err.Error(), "json: ")})
	}
	return faults
}
