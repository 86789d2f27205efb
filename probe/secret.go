package probe

import (
	"slices"
	"strings"
)

// SecretText stands where a secret was.
const SecretText = "<secret>"

// MinSecret is how long, in bytes, a text must be to be masked wherever it occurs: a shorter one is in
// every text, and no secret.
const MinSecret = 3

// Secrets are texts that must not be shown, in whatever form they are echoed, the longest first, and in
// capitals or small letters alike, as names of hosts are. The zero value masks nothing. Once filled it may be
// used by any number of goroutines.
type Secrets []string

// Add puts in a text, and it without the white space around it. What is shorter than MinSecret is left out.
func (s *Secrets) Add(text string) {
	for _, form := range []string{text, strings.TrimSpace(text)} {
		if len(form) >= MinSecret && !slices.Contains(*s, form) {
			at, _ := slices.BinarySearchFunc(*s, form, func(a, b string) int { return len(b) - len(a) })
			*s = slices.Insert(*s, at, form)
		}
	}
}

// Text is a text with SecretText where a secret was.
func (s Secrets) Text(text string) string {
	if !s.In(text, 0) {
		return text
	}
	return string(s.Mask([]byte(text), false))
}

// In reports whether a secret of at least so many bytes stands in the text.
func (s Secrets) In(text string, least int) bool {
	for _, secret := range s {
		if len(secret) < least {
			return false // the longest come first
		}
		for i := range len(text) {
			if spelt(text[i:], secret, false) > 0 {
				return true
			}
		}
	}
	return false
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// minPart is how many bytes of a secret that is cut by the end of the data count as the secret.
const minPart = 4

// Mask puts SecretText where a secret stands in the data. cut says that more followed the data: then the
// beginning of a secret at its very end is masked, too. The data itself stays as it is.
func (s Secrets) Mask(data []byte, cut bool) []byte {
	if len(s) == 0 {
		return data
	}
	text, masked := string(data), make([]byte, 0, len(data))
	for i := 0; i < len(text); {
		n := s.at(text[i:], cut)
		if n == 0 {
			masked = append(masked, text[i])
			i++
			continue
		}
		masked = append(masked, SecretText...)
		i += n
	}
	return masked
}

// at is how many bytes of a secret the text begins with.
func (s Secrets) at(text string, cut bool) int {
	for _, secret := range s {
		if n := spelt(text, secret, cut); n > 0 {
			return n
		}
	}
	return 0
}

// Error is an error whose text holds no secret; errors.Is and errors.As reach what it wraps.
func (s Secrets) Error(err error) error {
	if err == nil || len(s) == 0 {
		return err
	}
	if text := oneLine(err); s.Text(text) != text {
		return Reworded(err, s.Text(text))
	}
	return err
}

// mask takes the secrets out of what is shown of an attempt, wherever they came from: a target may echo
// what it was sent, and an error may quote what was asked for.
func (a *Attempt) mask(s Secrets) {
	if len(s) == 0 {
		return
	}
	a.Err = s.Error(a.Err)
	a.Method, a.RemoteAddress, a.Proxy = s.Text(a.Method), s.Text(a.RemoteAddress), s.Text(a.Proxy)
	for i := range a.Addresses {
		t := &a.Addresses[i]
		t.Address, t.Err = s.Text(t.Address), s.Error(t.Err)
	}
	a.TLS = a.TLS.masked(s)
	if a.HTTP == nil {
		return
	}
	a.HTTP.URL, a.HTTP.BodyHead, a.HTTP.Version = s.Text(a.HTTP.URL), s.Text(a.HTTP.BodyHead), s.Text(a.HTTP.Version)
	for i := range a.HTTP.Hops {
		h := &a.HTTP.Hops[i]
		h.URL, h.RemoteAddress, h.Proxy = s.Text(h.URL), s.Text(h.RemoteAddress), s.Text(h.Proxy)
	}
}
