package probe

import (
	"encoding/json"
	"html"
	"slices"
	"strconv"
	"strings"
)

// SecretText stands where a secret was.
const SecretText = "<secret>"

// MinSecret is how long, in bytes, a text must be to be masked wherever it occurs: a shorter one is in
// every text, and no secret.
const MinSecret = 3

// Secrets are texts that must not be shown, in every form in which they may be echoed, the longest
// first, and in capitals or small letters alike, as names of hosts are. The zero value masks nothing. Once filled it may be used by any number of goroutines.
type Secrets []string

// Add puts in a text and its usual encodings. What is shorter than MinSecret is left out.
func (s *Secrets) Add(text string) {
	if len(text) < MinSecret {
		return
	}
	inJSON, _ := json.Marshal(text) // of a string it cannot fail
	inGo := strconv.Quote(text)
	for _, form := range []string{
		text, strings.TrimSpace(text), percent(text, "", "+"), percent(text, "$&+=:@", "%20"),
		html.EscapeString(text), string(inJSON[1 : len(inJSON)-1]), inGo[1 : len(inGo)-1],
	} {
		if len(form) >= MinSecret && !slices.Contains(*s, form) {
			at, _ := slices.BinarySearchFunc(*s, form, func(a, b string) int { return len(b) - len(a) })
			*s = slices.Insert(*s, at, form)
		}
	}
}

// percent writes a text as URLs do: what is neither a letter, a digit nor one of -_.~ and keep becomes
// an escape, and a space becomes space.
func percent(text, keep, space string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ':
			b.WriteString(space)
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_.~"+keep, c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteString("%" + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
		}
	}
	return b.String()
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
		for i := 0; i+len(secret) <= len(text); i++ {
			if alike(text[i:i+len(secret)], secret) {
				return true
			}
		}
	}
	return false
}

// alike reports whether two texts of one length are equal but for capitals in ASCII.
func alike[A, B string | []byte](a A, b B) bool {
	for i := 0; i < len(a); i++ {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
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
	masked := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		n := s.at(data[i:], cut)
		if n == 0 {
			masked = append(masked, data[i])
			i++
			continue
		}
		masked = append(masked, SecretText...)
		i += n
	}
	return masked
}

// at is how many bytes of a secret the data begins with.
func (s Secrets) at(data []byte, cut bool) int {
	for _, secret := range s {
		if len(data) >= len(secret) && alike(data[:len(secret)], secret) {
			return len(secret)
		}
		if cut && len(data) >= minPart && len(data) < len(secret) && alike(data, secret[:len(data)]) {
			return len(data)
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
