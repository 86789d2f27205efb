package kinds

import (
	"errors"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sonde/probe"
)

// curlCommand is a command that is being put together: lines of a flag and its words.
type curlCommand struct {
	settings *HTTP
	env      probe.Env
	url      *url.URL
	header   http.Header
	body     []byte
	*speller
	proxies      *proxies
	looseNoProxy bool // curl reads no_proxy otherwise than sonde
	lines        []string
	pipe         string // what writes the body; empty when it is an argument
}

// Curl is the command. What it cannot say stands before it.
func (s *HTTP) Curl(env probe.Env) (string, error) {
	u, err := parseURL(s.URL)
	if err != nil {
		return "", errors.New("url: " + err.Error())
	}
	chosen, err := s.proxies(plainTLS)
	if err != nil {
		return "", err
	}
	hide := s.credentials(u, env.Secrets)
	chosen.secrets(&hide)
	c := &curlCommand{settings: s, env: env, url: u, speller: newSpeller(env.Filled, hide), proxies: chosen}
	if c.body, err = s.payload(); err != nil {
		return "", err
	}
	if s.Method == "HEAD" && len(c.body) > 0 {
		return "", errors.New("curl sends no HEAD with a body")
	}
	c.header = s.requestHeader(nil).Clone()
	c.compose()
	return c.text(), nil
}

// compose says all that the command has.
func (c *curlCommand) compose() {
	c.say("--disable --silent --show-error --include --globoff")
	c.limits()
	c.proxy()
	c.connection()
	c.redirects()
	c.method()
	c.headers()
	c.payload()
	if strings.Contains(c.url.Path, "/.") { // which curl would resolve
		c.say("--path-as-is")
	}
	c.say("--url", c.address()...)
}

// say adds a flag, and the word that is its value.
func (c *curlCommand) say(flag string, value ...piece) {
	if len(value) > 0 {
		flag += " " + word(value)
	}
	c.lines = append(c.lines, flag)
}

// literal is a word of ours.
func literal(text string) piece { return piece{text: text} }

// text is the remarks and the command.
func (c *curlCommand) text() string {
	var b strings.Builder
	for _, remark := range c.remarks() {
		b.WriteString("# " + remark + "\n")
	}
	if c.escapes {
		b.WriteString(escapesDefined)
	}
	b.WriteString(c.pipe + "curl " + strings.Join(c.lines, " \\\n  ") + "\n")
	return b.String()
}

// limits are those that curl has, too.
func (c *curlCommand) limits() {
	if d := c.env.Limits.Total; d > 0 {
		c.say("--max-time", literal(inSeconds(d)))
	}
	if d := c.env.Limits.Connect; d > 0 {
		c.say("--connect-timeout", literal(inSeconds(d)))
	}
}

func inSeconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// connection is by which HTTP and TLS the target is spoken to.
func (c *curlCommand) connection() {
	switch c.settings.Version {
	case "1.1":
		c.say("--http1.1")
	case "2":
		c.say("--http2")
	case "h2c":
		c.say("--http2-prior-knowledge")
	}
	if c.url.Scheme == "https" || c.settings.TLS != nil {
		c.secure()
	}
}

func (c *curlCommand) redirects() {
	if c.settings.Redirects > 0 {
		c.say("--location --proto-redir '=http,https' --max-redirs " + strconv.Itoa(int(c.settings.Redirects)))
	}
}

// method names the method where curl would not take it by itself. To name POST would repeat it after a
// redirect that turns it into a GET.
func (c *curlCommand) method() {
	switch m := c.settings.Method; {
	case m == "HEAD":
		c.say("--head")
	case m != "POST" && (m != "GET" || len(c.body) > 0):
		c.say("--request", literal(m))
	}
}

// headers are those of the request; of those that curl adds by itself, it is told not to.
func (c *curlCommand) headers() {
	if c.settings.IdempotencyKey == autoKey {
		c.header.Set("Idempotency-Key", probe.NewKey().String())
	}
	if !c.env.Connection.Reuse && c.header.Get("Connection") == "" {
		c.header.Set("Connection", "close")
	}
	if host := c.settings.header("Host"); host != "" {
		c.header.Set("Host", host)
	} else if c.servername() != "" {
		c.header.Set("Host", c.url.Host)
	}
	for _, name := range c.unasked() {
		if _, given := c.header[name]; !given {
			c.say("--header", literal(name+":"))
		}
	}
	for _, name := range sortedKeys(c.header) {
		c.oneHeader(name, c.header.Get(name))
	}
	if user := c.url.User; user != nil && c.header.Get("Authorization") == "" {
		c.say("--user", c.userinfo(user)...)
	}
}

// unasked are the headers that curl would add.
func (c *curlCommand) unasked() []string {
	if !c.sendsBody() {
		return []string{"Accept"}
	}
	if len(c.body) > 1<<10 { // from here on some versions ask for leave to send
		return []string{"Accept", "Content-Type", "Expect"}
	}
	return []string{"Accept", "Content-Type"}
}

func (c *curlCommand) oneHeader(name, value string) {
	value = textproto.TrimString(value) // as it is sent; and of blanks alone curl makes no header
	switch {
	case value == "" && name == "User-Agent":
		c.say("--header", literal("User-Agent:"))
	case value == "":
		c.say("--header", literal(name+";"))
	case name == "User-Agent":
		c.say("--user-agent", c.plain(value)...)
	default:
		c.say("--header", append([]piece{literal(name + ": ")}, c.headerValue(name, value)...)...)
	}
}

func (c *curlCommand) headerValue(name, value string) []piece {
	switch {
	case name == "Idempotency-Key" && c.settings.IdempotencyKey == autoKey:
		return []piece{literal(value)} // it was drawn here, and opens nothing
	case name == "Cookie":
		return c.cookies(value)
	case probe.IsSecretParameter(name):
		return c.authorization(value)
	}
	return c.plain(value)
}
