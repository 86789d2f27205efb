package report

import (
	"fmt"
	"strings"
	"unicode"
)

// clean makes a text that came from a file, or a file's name, fit for a line of a log: valid UTF-8, and
// neither control characters nor those that turn the direction of writing, which are shown as \x1b or
// \u202e. What CI programs would take for a command within a line is broken up.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if strings.IndexFunc(s, unclean) >= 0 {
		var b strings.Builder
		for _, r := range s {
			writeClean(&b, r)
		}
		s = b.String()
	}
	return commands.Replace(s)
}

// commands are what GitHub, Azure Pipelines and TeamCity obey wherever it stands in a line.
var commands = strings.NewReplacer("##[", `#\x23[`, "##vso[", `#\x23vso[`, "##teamcity[", `#\x23teamcity[`)

func writeClean(b *strings.Builder, r rune) {
	switch {
	case !unclean(r):
		b.WriteRune(r)
	case r < 0x100:
		fmt.Fprintf(b, `\x%02x`, r)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}

// unclean is true of what a terminal would obey rather than show, and of what XML cannot hold.
func unclean(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) ||
		r == '\u2028' || r == '\u2029' || r == 0xfffe || r == 0xffff
}
