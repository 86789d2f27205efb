package probe

import (
	"regexp"
	"strings"
)

// HidePairs is a text in which what hide makes of it stands in the place of each parameter whose name looks
// like a secret's (IsSecretParameter), in a URL's query or path, or in a form: one after ?, & or ;. Hide is
// given the whole of it, from that sign on, as in "&token=abc", and is asked though the value be empty. All
// else stays as it is. The value ends at &, ; or #, and at white space where the text is no URL but may hold
// one. It is the one place that knows what a parameter is, for what a file says and for what is probed.
func HidePairs(text string, hide func(pair string) string) string {
	if !strings.ContainsAny(text, "?&;") {
		return text // as most are
	}
	ends := "&;#"
	if !beginsAsURL.MatchString(text) {
		ends += " \t\n\v\f\r"
	}
	var b strings.Builder
	for {
		from, value := nextPair(text)
		if value == 0 {
			b.WriteString(text)
			return b.String()
		}
		if IsSecretParameter(text[from+1 : value-1]) {
			end := len(text)
			if at := strings.IndexAny(text[value:], ends); at >= 0 {
				end = value + at
			}
			b.WriteString(text[:from])
			b.WriteString(hide(text[from:end]))
			text = text[end:]
		} else {
			b.WriteString(text[:value])
			text = text[value:] // in which there may be one after a ?
		}
	}
}

var beginsAsURL = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// nextPair is where the first parameter of a text begins, and where its value does; 0 when there is none.
func nextPair(text string) (from, value int) {
	for {
		next := strings.IndexAny(text[from:], "?&;")
		if next < 0 {
			return 0, 0
		}
		from += next
		name := strings.IndexAny(text[from+1:], "=&;")
		if name < 0 {
			return 0, 0
		}
		if at := from + 1 + name; text[at] == '=' {
			return from, at + 1
		}
		from += 1 + name // what has no value is no parameter
	}
}

// HiddenPair is a parameter of HidePairs with SecretText for its value.
func HiddenPair(pair string) string { return pair[:strings.IndexByte(pair, '=')+1] + SecretText }
