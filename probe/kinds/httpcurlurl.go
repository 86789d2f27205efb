package kinds

import (
	"net"
	"strings"

	"sonde/probe"
)

// address is the URL, without its user. What was filled in is named, and escaped by the shell where sonde escapes it.
func (c *curlCommand) address() []piece {
	u := *c.url
	query, asks := u.RawQuery, u.RawQuery != "" || u.ForceQuery
	u.User, u.Fragment, u.RawFragment, u.RawQuery, u.ForceQuery = nil, "", "", "", false
	if name := c.servername(); name != "" {
		_, port, _ := net.SplitHostPort(address(c.url))
		u.Host = net.JoinHostPort(name, port)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	text := u.String()
	if asks {
		text += "?" + query
	}
	base, list := c.base(text)
	if base > 0 && strings.Contains(c.settings.URL[:base], "?") {
		return append(list, c.query(text[base:])...)
	}
	path := max(base, len(u.Scheme)+len("://")+len(u.Host))
	list = append(list, c.plain(text[base:path])...)
	before, query, asks := strings.Cut(text[path:], "?")
	list = append(list, c.pieces(before, c.masks, probe.KeptInPath)...)
	if !asks {
		return list
	}
	return append(append(list, literal("?")), c.query(query)...)
}

// masks is what may be shown of the literal parts of a text.
func (c *curlCommand) masks(_ int, literal string) string { return c.secrets.Text(literal) }

// base is what was filled in as the beginning of the URL, which brings the scheme, and its size. Where the URL is not
// asked for as that has it, it is masked.
func (c *curlCommand) base(text string) (size int, expansion []piece) {
	for _, f := range c.filled {
		switch url, size := c.settings.URL, len(f.Value); {
		case !canExpand(f.Value) || size < probe.MinSecret || !strings.HasPrefix(url, f.Value):
		case strings.HasPrefix(text, f.Value):
			return size, []piece{{expansion: c.expansion(f)}}
		case c.servername() != "": // the host is another one, so that what is masked would not be found
			c.masked = true
			return len(text), []piece{literal(probe.SecretText)}
		}
	}
	return 0, nil
}

// query is a query that is shown without what looks like a secret by its name.
func (c *curlCommand) query(query string) (list []piece) {
	for _, f := range c.filled {
		if f.Value == query || probe.Escape(f.Value, probe.KeptAsQuery) == query {
			return c.pieces(query, c.masks, probe.KeptAsQuery)
		}
	}
	for pair := range strings.SplitAfterSeq(query, "&") {
		name, value, has := strings.Cut(pair, "=")
		value, more := strings.CutSuffix(value, "&")
		if !has || !probe.IsSecretParameter(name) {
			list = append(list, c.pieces(pair, c.masks, probe.KeptInQuery)...)
			continue
		}
		list = append(list, c.pieces(name+"=", c.masks, probe.KeptInQuery)...)
		list = append(list, c.pieces(value, func(int, string) string { return probe.SecretText }, probe.KeptInQuery)...)
		if more {
			list = append(list, literal("&"))
		}
	}
	return list
}
