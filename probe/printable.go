package probe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable is a text from outside, fit for one line of a terminal, a log, a page or XML: valid UTF-8 of
// which every character can be seen. Whatever a terminal or a browser would obey rather than show, and
// what nobody sees, stands there as \x1b, \u202e or \U000e0041: control characters, line breaks, marks that
// turn the direction of writing, characters without width, and those that Unicode does not know. A byte
// that is no UTF-8 becomes U+FFFD. What is printable already is left as it is, so that the result may be
// given to it again.
func Printable(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	first := strings.IndexFunc(text, func(r rune) bool { return !IsPrintable(r) })
	if first < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:first])
	for _, r := range text[first:] {
		switch {
		case IsPrintable(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// IsPrintable is true of characters that Printable leaves as they are.
func IsPrintable(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != '\x7f'
	}
	return unicode.IsGraphic(r)
}

// Line is Printable for a text that may have several lines, such as joined errors: a line break within
// it becomes "; ", one at its end nothing, and a tab a space.
func Line(text string) string {
	return Printable(lines.Replace(strings.TrimRight(text, "\r\n")))
}

var lines = strings.NewReplacer("\r\n", "; ", "\n", "; ", "\t", " ")

// Shorten is a text of at most so many characters, of which the last is … where it was cut.
func Shorten(text string, most int) string {
	if len(text) <= most {
		return text // no text has more characters than bytes
	}
	n, cut := 0, 0
	for i := range text {
		if n++; n == most {
			cut = i
		}
		if n > most {
			return text[:cut] + "…"
		}
	}
	return text
}

// Clip is the beginning of a text, at most so many bytes, cut between characters.
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
