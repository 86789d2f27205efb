package kinds

import (
	"net"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"sonde/probe"
)

// proxy says what the request goes through. What the environment says is left to curl where sonde goes by it,
// too, and is put aside elsewhere.
func (c *curlCommand) proxy() {
	direct := c.proxies.of(c.url) == nil
	switch {
	case c.proxies == nil, direct && (c.settings.Redirects == 0 || c.settings.Proxy.URL == environmentProxy):
		c.say("--noproxy", literal("*"))
		return
	case c.settings.Proxy.URL != environmentProxy:
		c.explicitProxy(direct)
	}
	tunnels := c.url.Scheme == "https" || c.settings.Version == "h2c"
	if tunnels && c.url.Scheme == "http" { // which curl would have the proxy ask for
		c.say("--proxytunnel")
	}
	c.proxyHeaders(tunnels)
}

// explicitProxy says the proxy that the file names, and what goes without it.
func (c *curlCommand) explicitProxy(direct bool) {
	u, err := parseProxy(c.settings.Proxy.URL)
	if err != nil {
		return // a file that has this is not loaded
	}
	c.say("--proxy", c.proxyURL(u)...)
	if u.Scheme == "https" {
		c.secureProxy()
	}
	rules, _ := unproxiedHosts(c.settings.Proxy.NoProxy)
	c.say("--noproxy", append(c.plain(strings.Join(c.unproxied(rules, direct), ",")), literal(""))...)
}

// proxyURL is the proxy's URL: the reference by which all of it was filled in, or else its parts.
func (c *curlCommand) proxyURL(u *url.URL) []piece {
	for _, f := range c.filled {
		if f.Value == c.settings.Proxy.URL && canExpand(f.Value) {
			return []piece{{expansion: c.expansion(f)}}
		}
	}
	return slices.Concat([]piece{literal(u.Scheme + "://")}, c.proxyUser(u.User), c.plain(address(u)))
}

// unproxied is no_proxy as curl reads it, which knows neither ports nor a name without those below it. It is
// right for the URL itself; for what redirects lead to a remark says what is not.
func (c *curlCommand) unproxied(rules hosts, direct bool) []string {
	host, _, _ := net.SplitHostPort(address(c.url))
	if name := c.servername(); name != "" {
		host = strings.ToLower(name)
	}
	seen := &url.URL{Scheme: c.url.Scheme, Host: net.JoinHostPort(host, "1")}
	var list []string
	for _, r := range rules {
		loose := r
		loose.below, loose.port = false, ""
		if exact := loose == r; !exact {
			c.looseNoProxy = c.settings.Redirects > 0
			if r.port != "" || !direct && (hosts{loose}).have(seen) {
				continue
			}
		}
		list = append(list, loose.text())
	}
	if direct && !slices.Contains(list, "*") && !slices.Contains(list, host) {
		list = append(list, host)
	}
	return list
}

// text is a rule without a port, as curl has it.
func (r unproxied) text() string {
	switch {
	case r.all:
		return "*"
	case r.ips.IsSingleIP():
		return r.ips.Addr().String()
	case r.ips.IsValid():
		return r.ips.String()
	}
	return r.name
}

// proxyHeaders are those that the proxy gets, and without the one that curl adds. Where the proxy sees the
// request, a header of the request's own stands before one for the proxy.
func (c *curlCommand) proxyHeaders(tunnels bool) {
	c.say("--proxy-header", literal("Proxy-Connection:"))
	shown := map[string]string{}
	if agent := c.settings.house.header.Get("User-Agent"); tunnels && c.header.Get("User-Agent") != agent {
		shown["User-Agent"] = agent
	}
	for name, value := range c.settings.Proxy.Headers {
		shown[textproto.CanonicalMIMEHeaderKey(name)] = value
	}
	for _, name := range sortedKeys(shown) {
		if _, own := c.header[name]; own && !tunnels {
			continue
		}
		c.proxyHeader(name, shown[name])
	}
}

func (c *curlCommand) proxyHeader(name, value string) {
	if value == "" {
		c.say("--proxy-header", literal(name+";"))
		return
	}
	pieces := c.plain(value)
	if probe.IsSecretParameter(name) {
		pieces = c.authorization(value)
	}
	c.say("--proxy-header", append([]piece{literal(name + ": ")}, pieces...)...)
}

// userinfo is a user and a password.
func (c *curlCommand) userinfo(user *url.Userinfo) []piece {
	password, _ := user.Password()
	if whole := user.Username() + ":" + password; c.named(whole) {
		return c.hidden(whole)
	}
	return slices.Concat(c.hidden(user.Username()), []piece{literal(":")}, c.hidden(password))
}

// proxyUser is the same in the URL of a proxy, with the @ after it: of --proxy-user curl would take escapes away that
// are none.
func (c *curlCommand) proxyUser(user *url.Userinfo) []piece {
	if user == nil {
		return nil
	}
	password, _ := user.Password()
	hide := func(int, string) string { return probe.SecretText }
	if whole := user.Username() + ":" + password; c.named(whole) {
		return append(c.pieces(probe.Escape(whole, ":"), hide, ":"), literal("@"))
	}
	name, password := probe.Escape(user.Username(), probe.KeptInUserinfo), probe.Escape(password, probe.KeptInUserinfo)
	return slices.Concat(c.pieces(name, hide, probe.KeptInUserinfo), []piece{literal(":")}, c.pieces(password, hide, probe.KeptInUserinfo), []piece{literal("@")})
}

// proxyRemarks say where curl chooses proxies in another way.
func (c *curlCommand) proxyRemarks() (list []string) {
	if c.looseNoProxy {
		list = append(list, "In no_proxy curl knows no ports, and takes a name for those below it and itself: after a redirect it may choose otherwise than sonde.")
	}
	if c.settings.Proxy.URL != environmentProxy || c.proxies == nil {
		return list
	}
	if c.proxies.of(c.url) == nil {
		if c.settings.Redirects > 0 {
			list = append(list, "The environment has no proxy for this URL. After a redirect sonde looks once more; this command goes without.")
		}
		return list
	}
	return append(list, "The proxy is the environment's. For http URLs curl reads http_proxy in small letters only; and it reads ALL_PROXY, too, which sonde does not.")
}
