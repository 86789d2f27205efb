package main

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// probesOfURLs are the elements of a list of probes, one for each URL.
func probesOfURLs(urls []string) (string, error) {
	var b strings.Builder
	taken := map[string]bool{}
	for i, text := range urls {
		u, err := targetURL(text)
		if err != nil {
			return "", fmt.Errorf("--url number %d: %w", i+1, err)
		}
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "  - name: %s\n%s", newName(u, taken), blockOf(u, text))
	}
	return b.String(), nil
}

// targetURL reads a URL of which a probe can be made. What is wrong with it is said without quoting what
// may be a credential.
func targetURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme == "" || u.Host == "":
		hint := ""
		if host, _, _ := strings.Cut(text, "/"); !strings.ContainsAny(text, "@?:") && strings.Contains(host, ".") {
			hint = "; did you mean https://" + text + "?"
		} else if _, port, err := net.SplitHostPort(text); err == nil && port != "" && !strings.ContainsAny(text, "@?/") {
			hint = "; did you mean tcp://" + text + "?"
		}
		return nil, fmt.Errorf("want a URL such as https://www.example.com/ or tcp://db.example.com:5432%s", hint)
	case u.Scheme == "tcp" && (u.Port() == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.User != nil):
		return nil, fmt.Errorf("want tcp://HOST:PORT and nothing else, such as tcp://db.example.com:5432")
	case u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "tcp":
		return nil, fmt.Errorf("is of the scheme %s, want http, https or tcp", strconv.Quote(u.Scheme))
	}
	return u, nil
}

// blockOf is the kind's block for a URL.
func blockOf(u *url.URL, text string) string {
	if u.Scheme == "tcp" {
		return fmt.Sprintf("    tcp: {address: %q}\n", u.Host)
	}
	// A dollar and two braces are themselves here: a command line fills nothing in.
	text = strings.NewReplacer("$", "$$", "{{", `{{"{{"}}`).Replace(text)
	return fmt.Sprintf("    http: {url: %s}\n", strconv.QuoteToGraphic(text))
}

// maxMadeName bounds the names that are made of URLs.
const maxMadeName = 80

var illegalInName = regexp.MustCompile(`[^a-z0-9_.]+`)

// newName is a name made of host, port and path that is not taken yet; then it is.
func newName(u *url.URL, taken map[string]bool) string {
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	name := host
	if port := u.Port(); port != "" && (u.Scheme == "tcp" || port != "80" && port != "443") {
		name += "-" + port
	}
	name = strings.Trim(illegalInName.ReplaceAllString(name+"-"+strings.ToLower(u.Path), "-"), "-_.")
	name = strings.TrimRight(name[:min(len(name), maxMadeName)], "-_.")
	if name == "" {
		name = "probe"
	}
	unique := name
	for n := 2; taken[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", name, n)
	}
	taken[unique] = true
	return unique
}
