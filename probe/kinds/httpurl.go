package kinds

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"sonde/probe"
)

// What is wrong with a URL. None of these quotes it: what cannot be read cannot be redacted.
var (
	errURL    = errors.New("want an http or https URL, such as https://www.example.com/")
	errScheme = errors.New("want a URL that begins with http:// or https://")
	errHost   = errors.New("want a URL with a host, such as https://www.example.com/")
	errPort   = errors.New("want a port from 1 to 65535 in the URL")
)

// parseURL reads a URL that can be asked for. A host of other than ASCII letters becomes what DNS knows.
func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		u, err = url.Parse(veiled(text))
	}
	if err != nil {
		return nil, errURL
	}
	return u, fit(u)
}

// veiled is a URL's text in which <secret> before the host is escaped. We print it there in place of a
// credential, and what we print must load again, but a URL takes no angle brackets there.
func veiled(text string) string {
	scheme, rest, _ := strings.Cut(text, "//")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host := strings.LastIndexByte(rest[:end], '@')
	if host < 0 {
		return text
	}
	return scheme + "//" + strings.ReplaceAll(rest[:host], probe.SecretText, url.PathEscape(probe.SecretText)) + rest[host:]
}

// withScheme is the hint that a scheme is all that a URL lacks, or empty. What may hold a credential is
// not shown.
func withScheme(text string) string {
	host, _, _ := strings.Cut(text, "/")
	name, port, _ := strings.Cut(host, ":")
	if strings.ContainsAny(text, "@?#") || strings.HasSuffix(host, ":") || !strings.ContainsAny(host, ".:") && host != "localhost" {
		return ""
	}
	scheme := "https://"
	if port != "443" && (port != "" || name == "localhost") {
		scheme = "http://"
	}
	if _, err := parseURL(scheme + text); err != nil || len(text) > maxQuoted {
		return ""
	}
	return "; did you mean " + scheme + text + "?"
}

// fit makes a parsed URL fit to be asked for, or says why it cannot be.
func fit(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return errScheme
	}
	if u.Opaque != "" || u.Hostname() == "" {
		return errHost
	}
	u.RawPath, u.RawQuery = escaped(u.RawPath, keptInPath), escaped(u.RawQuery, probe.KeptAsQuery)
	u.Host = strings.TrimSuffix(u.Host, ":") // an empty port is the scheme's own
	if port := u.Port(); port != "" && !isPort(port) {
		return errPort
	}
	if err := asciiHost(u); err != nil {
		return err
	}
	if len(u.Hostname()) > maxHost {
		return errHost
	}
	return nil
}

// keptInPath is what RFC 3986 lets stand in a path, beside what it lets stand everywhere.
const keptInPath = "/!$&'()*+,;=:@"

// escaped is a path or query in which what RFC 3986 does not permit there is escaped: servers refuse a request with
// white space in its first line. What is escaped already stays as it is.
func escaped(text, keep string) string {
	parts := strings.Split(text, "%")
	for i, part := range parts {
		parts[i] = probe.Escape(part, keep)
		if i > 0 && !isEscape(part) {
			parts[i] = "25" + parts[i]
		}
	}
	if escaped := strings.Join(parts, "%"); escaped != text {
		return escaped
	}
	return text
}

// isEscape is true of what begins with the two digits of an escape.
func isEscape(text string) bool {
	_, err := url.PathUnescape("%" + text[:min(2, len(text))])
	return err == nil
}

// maxHost is how long a host's name may be, in bytes (RFC 1035).
const maxHost = 253

// isPort is true of a number that a port can have.
func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

// asciiHost turns a host of other letters into what DNS and the Host header want.
func asciiHost(u *url.URL) error {
	if isASCII(u.Host) {
		return nil
	}
	host, err := idna.Lookup.ToASCII(u.Hostname())
	if err != nil {
		return errHost
	}
	if port := u.Port(); port != "" {
		host = net.JoinHostPort(host, port)
	}
	u.Host = host
	return nil
}

func isASCII(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// address is where a URL leads, host:port, with the scheme's own port where the URL has none.
func address(u *url.URL) string {
	port := u.Port()
	if port != "" && strings.ToLower(u.Host) == u.Host {
		return u.Host // a part of the URL's own text
	}
	if port == "" {
		port = map[bool]string{true: "443", false: "80"}[u.Scheme == "https"]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// sameOrigin reports whether two URLs have scheme, host and port in common.
func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && address(a) == address(b) }
