package kinds

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// secrets are the credentials that a probe sends, in every form in which a target may echo them. Nothing
// that a target sent is shown before they have been masked in it.
type secrets []string

// minSecret is how long, in bytes, what is masked must be: less is no secret, and is in every text.
const minSecret = 3

// add puts in a credential and its usual encodings.
func (s *secrets) add(text string) {
	if len(text) < minSecret {
		return
	}
	for _, form := range []string{text, url.QueryEscape(text), url.PathEscape(text), html.EscapeString(text), jsonEscape(text), goEscape(text)} {
		if !slices.Contains(*s, form) {
			*s = append(*s, form)
		}
	}
}

// sorted puts the longest first, so that none is masked in part only.
func (s secrets) sorted() secrets {
	slices.SortStableFunc(s, func(a, b string) int { return len(b) - len(a) })
	return s
}

func jsonEscape(text string) string {
	quoted, _ := json.Marshal(text) // of a string it cannot fail
	return string(quoted[1 : len(quoted)-1])
}

func goEscape(text string) string {
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// headers puts in the values of those headers that carry credentials: whole, without the scheme before
// them, what Basic encodes, and each cookie by itself.
func (s *secrets) headers(h http.Header) {
	for name, values := range h {
		if !isCredential(name) {
			continue
		}
		for _, value := range values {
			s.add(value)
			s.parts(name, value)
		}
	}
}

func (s *secrets) parts(name, value string) {
	if name == "Cookie" {
		for _, cookie := range strings.Split(value, ";") {
			_, v, _ := strings.Cut(cookie, "=")
			s.add(strings.Trim(v, ` "`))
		}
		return
	}
	scheme, rest, hasScheme := strings.Cut(value, " ")
	if !hasScheme {
		return
	}
	s.add(strings.TrimSpace(rest))
	if strings.EqualFold(scheme, "Basic") {
		plain, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(rest))
		user, password, _ := strings.Cut(string(plain), ":")
		s.userinfo(user, password)
	}
}

// userinfo puts in a user's name and password. A name beside a password is masked only when it is long
// enough not to be part of half the words of a page.
func (s *secrets) userinfo(user, password string) {
	s.add(password)
	if password == "" || len(user) > 3 {
		s.add(user)
	}
}

// query puts in the values of those parameters whose names look like secrets.
func (s *secrets) query(values url.Values) {
	for name, list := range values {
		if !isSecretName(name) {
			continue
		}
		for _, value := range list {
			s.add(value)
		}
	}
}

// fields puts in, of a value that will be JSON, the texts under names that look like secrets.
func (s *secrets) fields(value any, secret bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			s.fields(field, secret || isSecretName(name))
		}
	case []any:
		for _, element := range v {
			s.fields(element, secret)
		}
	case string, int64, float64:
		if secret {
			s.add(fmt.Sprint(v))
		}
	}
}

// minPart is how many bytes of a credential that is cut by the end of the data count as the credential.
const minPart = 4

// mask puts "<secret>" where a credential stands in the data. cut says that more followed the data: then
// the beginning of a credential at its very end is masked, too.
func (s secrets) mask(data []byte, cut bool) []byte {
	if len(s) == 0 {
		return data
	}
	masked := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		n := s.at(data[i:], cut)
		if n == 0 {
			masked = append(masked, data[i])
			i++
			continue
		}
		masked = append(masked, secretText...)
		i += n
	}
	return masked
}

// at is how many bytes of a credential the data begins with.
func (s secrets) at(data []byte, cut bool) int {
	for _, secret := range s {
		if bytes.HasPrefix(data, []byte(secret)) {
			return len(secret)
		}
		if cut && len(data) >= minPart && strings.HasPrefix(secret, string(data)) {
			return len(data)
		}
	}
	return 0
}

// maxQuoted bounds, in bytes, what an error quotes of what a target sent.
const maxQuoted = 120

// quotable is what a target sent, masked and bounded, fit to be quoted in an error.
func (s secrets) quotable(data []byte) string {
	cut := len(data) > 2*maxQuoted
	if cut {
		data = data[:2*maxQuoted]
	}
	text := string(s.mask(data, cut))
	if len(text) > maxQuoted {
		return clip(strings.ToValidUTF8(text, "\uFFFD"), maxQuoted) + "…"
	}
	return text
}

// maxError bounds the text of an error in bytes: Go's own can quote a whole line of what a target sent.
const maxError = 512

// maskedError is an error whose text has been masked and bounded.
type maskedError struct {
	text string
	err  error
}

// Error is the text.
func (e *maskedError) Error() string { return e.text }

// Unwrap leads to the error.
func (e *maskedError) Unwrap() error { return e.err }

// clean is the error with a text that is fit to be shown. A target can echo the request where a status
// line belongs, and Go's errors quote it.
func (s secrets) clean(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	shown := string(s.mask([]byte(text), false))
	if len(shown) > maxError {
		shown = clip(strings.ToValidUTF8(shown, "\uFFFD"), maxError) + "…"
	}
	if shown == text {
		return err
	}
	return &maskedError{shown, err}
}
