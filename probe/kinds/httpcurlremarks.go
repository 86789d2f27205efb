package kinds

import (
	"fmt"
	"strings"

	"sonde/probe"
)

// remarks say what the command does not.
func (c *curlCommand) remarks() []string {
	list := []string{"curl cannot be told of " + strings.Join(c.untold(), ", ") + "."}
	if c.settings.IdempotencyKey == autoKey {
		list = append(list, "The Idempotency-Key was drawn for this command. Sent again, it is the same request, as in the attempts of one run.")
	}
	if c.settings.Version == "2" {
		list = append(list, "Where the server speaks no HTTP/2 curl falls back to HTTP/1.1; sonde fails.")
	}
	if t := c.settings.TLS; t != nil && t.CAFile != "" {
		list = append(list, "Some builds of curl trust the system's authorities beside --cacert; sonde does not.")
	}
	list = append(list, c.redirectRemarks()...)
	list = append(list, c.proxyRemarks()...)
	if len(c.variables) > 0 {
		list = append(list, "It reads from the environment: "+strings.Join(c.variables, ", ")+".")
	}
	if c.masked {
		list = append(list, "Where "+probe.SecretText+" stands, put in what the file has there.")
	}
	return list
}

// untold are the settings for which curl has no flag.
func (c *curlCommand) untold() []string {
	var list []string
	if d := c.env.Limits.SockConnect; d > 0 {
		list = append(list, fmt.Sprintf("timeout.sock_connect (%v)", d))
	}
	if d := c.env.Limits.SockRead; d > 0 {
		list = append(list, fmt.Sprintf("timeout.sock_read (%v)", d))
	}
	return append(list, "http.expect", "retry")
}

// redirectRemarks say where curl follows redirects in another way.
func (c *curlCommand) redirectRemarks() (list []string) {
	if c.settings.Redirects == 0 {
		return nil
	}
	switch m := c.settings.Method; m {
	case "GET", "HEAD", "POST":
	default:
		list = append(list, "After a 303 curl sends "+m+" again, sonde a GET.")
	}
	var kept []string
	for _, name := range sortedKeys(c.header) {
		if probe.IsSecretParameter(name) && name != "Authorization" && name != "Cookie" {
			kept = append(kept, name)
		}
	}
	if len(kept) > 0 {
		list = append(list, "On a redirect to another host sonde leaves out "+strings.Join(kept, ", ")+"; curl sends it.")
	}
	return list
}
