package kinds

import (
	"net"
	"strings"
)

// curlTLS are the flags of the least version.
var curlTLS = map[string]string{"": "--tlsv1.2", "TLS10": "--tlsv1.0", "TLS11": "--tlsv1.1", "TLS12": "--tlsv1.2", "TLS13": "--tlsv1.3"}

// secure is TLS with the target.
func (c *curlCommand) secure() {
	t := c.settings.TLS
	if t == nil {
		t = &TLS{}
	}
	c.say(curlTLS[t.MinVersion])
	if t.InsecureSkipVerify {
		c.say("--insecure")
	}
	if t.CAFile != "" {
		c.say("--cacert", c.plain(inDir(c.env.Dir, t.CAFile))...)
	}
	if t.CertFile != "" {
		// A colon would begin a password.
		c.say("--cert", c.plain(strings.ReplaceAll(inDir(c.env.Dir, t.CertFile), ":", `\:`))...)
		c.say("--key", c.plain(inDir(c.env.Dir, t.KeyFile))...)
	}
	if name := c.servername(); name != "" {
		host, port, _ := net.SplitHostPort(address(c.url))
		c.say("--connect-to", c.plain(net.JoinHostPort(name, port)+":"+net.JoinHostPort(host, port))...)
	}
}

// servername is the name that is asked for by TLS where it is not the URL's host. To curl it is the host
// of the URL, which then leads elsewhere.
func (c *curlCommand) servername() string {
	t := c.settings.TLS
	if c.url.Scheme != "https" || t == nil || strings.EqualFold(t.ServerName, c.url.Hostname()) {
		return ""
	}
	return t.ServerName
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
