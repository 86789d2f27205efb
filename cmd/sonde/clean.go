package main

import (
	"fmt"
	"strings"
	"unicode"
)

// clean makes text that came from outside fit for a line of a terminal: control characters, and those
// that turn the direction of writing, are shown as \x1b or \u202e, so that no target can move the
// cursor, colour the screen or hide a line. A line break becomes "; ".
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if strings.IndexFunc(s, unclean) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ReplaceAll(strings.TrimRight(s, "\r\n"), "\n", "; ") {
		switch {
		case !unclean(r):
			b.WriteRune(r)
		case r == '\t':
			b.WriteByte(' ')
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// unclean is true of what a terminal would obey rather than show.
func unclean(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}
