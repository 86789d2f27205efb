package kinds

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"sonde/probe"
)

// secrets are the credentials that a probe sends. Nothing that a target sent is shown before they have
// been masked in it.
type secrets struct{ probe.Secrets }

// headers puts in the values of those headers that carry credentials: whole, without the scheme before
// them, what Basic encodes, and each cookie by itself.
func (s *secrets) headers(h http.Header) {
	for name, values := range h {
		if !probe.IsSecretParameter(name) {
			continue
		}
		for _, value := range values {
			s.Add(value)
			s.parts(name, value)
		}
	}
}

func (s *secrets) parts(name, value string) {
	if name == "Cookie" {
		for _, cookie := range strings.Split(value, ";") {
			_, v, _ := strings.Cut(cookie, "=")
			s.Add(strings.Trim(v, ` "`))
		}
		return
	}
	scheme, rest, hasScheme := strings.Cut(value, " ")
	if !hasScheme {
		return
	}
	s.Add(strings.TrimSpace(rest))
	if strings.EqualFold(scheme, "Basic") {
		plain, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
		user, password, _ := strings.Cut(string(plain), ":")
		s.userinfo(user, password)
	}
}

// userinfo puts in a user's name and password. A name beside a password is masked only when it is long
// enough not to be part of half the words of a page.
func (s *secrets) userinfo(user, password string) {
	s.Add(password)
	if password == "" || len(user) > 3 {
		s.Add(user)
	}
}

// query puts in the values of those parameters whose names look like secrets.
func (s *secrets) query(values url.Values) {
	for name, list := range values {
		if !probe.IsSecretParameter(name) {
			continue
		}
		for _, value := range list {
			s.Add(value)
		}
	}
}

// text puts in what a text that is sent has under names that look like secrets, be it a form, a query or JSON.
func (s *secrets) text(text string) {
	probe.HidePairs("&"+text, func(pair string) string {
		_, value, _ := strings.Cut(pair, "=")
		s.Add(value)
		s.Add(unescape(value))
		return pair
	})
	probe.HideFields(text, func(value string) string {
		var v any
		if err := json.Unmarshal([]byte(value), &v); err == nil {
			s.scalar(v)
		}
		s.Add(strings.Trim(value, `"`))
		return value
	})
}

// fields puts in, of a value that will be JSON, the texts under names that look like secrets.
func (s *secrets) fields(value any, secret bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			s.fields(field, secret || probe.IsSecretParameter(name))
		}
	case []any:
		for _, element := range v {
			s.fields(element, secret)
		}
	case bool, nil: // these are everywhere
	default:
		if secret {
			s.scalar(v)
		}
	}
}

// scalar puts in a text or a number, in the forms in which it is sent and may come back: programs write great
// numbers with an exponent or without.
func (s *secrets) scalar(value any) {
	s.Add(fmt.Sprint(value))
	if inJSON, err := json.Marshal(value); err == nil && inJSON[0] != '"' {
		s.Add(string(inJSON))
	}
	if f, ok := value.(float64); ok {
		s.Add(strconv.FormatFloat(f, 'f', -1, 64))
	}
}

// url is a URL that a target has chosen, fit to be shown: a redirect may send back what we sent. Where it
// does so in escapes, all but the origin is left out.
func (s secrets) url(u *url.URL) string {
	whole := redact(u)
	shown := string(s.Mask([]byte(whole), len(whole) > maxURL-utf8.UTFMax))
	if s.In(unescape(shown), 0) {
		shown = s.Text(u.Scheme+"://"+u.Host) + "/" + probe.SecretText
	}
	return probe.Clip(shown, maxURL)
}

// minTold is how long, in bytes, a credential is that must not be in the name of a host: shorter ones,
// such as a user's name, are in the names of hosts that have nothing to do with them.
const minTold = 8

// toldBy reports whether the name of a host that a target has chosen holds a credential, so that
// whoever is asked for its addresses would be told it. What the probe's own host bears is no secret.
func (s secrets) toldBy(host, own string) bool {
	for _, secret := range s.Secrets {
		if one := (probe.Secrets{secret}); one.In(host, minTold) && !one.In(own, minTold) {
			return true
		}
	}
	return false
}

// maxQuoted bounds, in bytes, what an error quotes of what a target sent.
const maxQuoted = 120

// quotable is what a target sent, masked and bounded, fit to be quoted in an error.
func (s secrets) quotable(data []byte) string {
	cut := len(data) > 2*maxQuoted
	if cut {
		data = data[:2*maxQuoted]
	}
	text := string(s.Mask(data, cut))
	if len(text) > maxQuoted {
		return probe.Clip(strings.ToValidUTF8(text, "\uFFFD"), maxQuoted) + "…"
	}
	return text
}

// maxError bounds the text of an error in bytes: Go's own can quote a whole line of what a target sent.
const maxError = 512

// clean is the error with a text that is fit to be shown. A target can echo the request where a status
// line belongs, and Go's errors quote it.
func (s secrets) clean(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	shown := string(s.Mask([]byte(text), false))
	if len(shown) > maxError {
		shown = probe.Clip(strings.ToValidUTF8(shown, "\uFFFD"), maxError) + "…"
	}
	if shown == text {
		return err
	}
	return probe.Reworded(err, shown)
}
