package kinds

import (
	"slices"

	"sonde/probe/conn"
)

// through says what the request goes through: the proxy that is chosen for its URL, or none, whatever the
// environment of the command says.
func (c *curlCommand) through() {
	p := c.proxies.of(c.url)
	if p == nil {
		c.say("--noproxy", literal("*"))
		return
	}
	c.say("--noproxy", literal(""))
	c.toProxy(p)
	if c.settings.Version == "h2c" {
		c.say("--proxytunnel")
	}
	c.say("--proxy-header", literal("Proxy-Connection:")) // which curl would add
	for _, name := range sortedKeys(p.Header) {
		if value := p.Header.Get(name); name != "User-Agent" && (name != authorization || !c.settings.proxyUser()) {
			c.say("--proxy-header", append([]piece{literal(name + ": ")}, c.headerValue(name, value)...)...)
		}
	}
	if p.TLS != nil {
		c.secureProxy()
	}
}

// toProxy names the proxy and who asks it. A URL that was filled in as a whole has a name of its own.
func (c *curlCommand) toProxy(p *conn.Proxy) {
	if c.named(c.settings.Proxy.URL) {
		c.say("--proxy", c.plain(c.settings.Proxy.URL)...)
		return
	}
	scheme := "http://"
	if p.TLS != nil {
		scheme = "https://"
	}
	c.say("--proxy", c.plain(scheme+p.Address)...)
	if u, err := parseProxy(c.settings.Proxy.URL); err == nil && u.User != nil {
		password, _ := u.User.Password()
		c.say("--proxy-user", slices.Concat(c.hidden(u.User.Username()), []piece{literal(":")}, c.hidden(password))...)
	}
}

// secureProxy is TLS with the proxy itself.
func (c *curlCommand) secureProxy() {
	t := c.settings.TLS
	if t == nil {
		return
	}
	if t.InsecureSkipVerify {
		c.say("--proxy-insecure")
	}
	if t.CAFile != "" {
		c.say("--proxy-cacert", c.plain(inDir(c.env.Dir, t.CAFile))...)
	}
}

// proxyRemarks say where curl goes through the proxy and sonde does not.
func (c *curlCommand) proxyRemarks() []string {
	chosen := len(c.settings.Proxy.NoProxy) > 0 || c.settings.Proxy.URL == environmentProxy
	if !chosen || c.settings.Redirects == 0 {
		return nil
	}
	return []string{"The proxy is the one for this URL. Sonde chooses anew for each redirect; curl goes on as it began."}
}
