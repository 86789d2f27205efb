package status

import (
	"strings"
	"time"
	"unicode"
)

// maxText is how many characters of an error are kept.
const maxText = 300

// clean is the text of an error as it may be shown: on one line, without characters that move the
// cursor, turn the direction of writing or cannot be seen, and not longer than maxText. The text may be
// made by a target.
func clean(err error) string {
	if err == nil {
		return ""
	}
	return cleanText(err.Error())
}

func cleanText(s string) string {
	var b strings.Builder
	n := 0
	for _, c := range s {
		if n++; n > maxText {
			b.WriteString("…")
			break
		}
		switch {
		case c == '\n':
			b.WriteString("; ")
		case unicode.IsSpace(c):
			b.WriteByte(' ')
		case unicode.Is(unicode.C, c):
			b.WriteRune(unicode.ReplacementChar)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// roughly rounds to what a reader can tell apart: three digits, and whole seconds above.
func roughly(d time.Duration) string {
	for unit := time.Duration(1); unit < time.Second; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit).String()
		}
	}
	return d.Round(time.Second).String()
}
