package kinds

import (
	"fmt"
	"strings"
	"unicode"

	"sonde/probe"
)

// oddIn names what makes a URL unreadable that is easily overlooked, or is empty. It names one character,
// whatever the URL holds.
func oddIn(text string) string {
	for _, r := range text {
		switch {
		case strings.ContainsRune("“”„‟‘’‚‛«»", r):
			return fmt.Sprintf("; it holds %c, which is no quote in YAML: want \" or '", r)
		case r == '\n' || r == '\r':
			return "; it holds a line end"
		case unicode.IsSpace(r):
			return "; it holds a space"
		}
	}
	return ""
}

// wantLine is what is wanted of a value that no header can have, and where its line end comes from when it is
// filled in.
func wantLine(value string, env probe.Env) string {
	const want = "want a text of one line"
	if !strings.ContainsAny(value, "\r\n") {
		return want
	}
	for _, f := range env.Filled {
		if !strings.ContainsAny(f.Value, "\r\n") || !strings.Contains(value, f.Value) {
			continue
		}
		switch {
		case f.File != "":
			return fmt.Sprintf("%s; the text of %q holds a line end: one at its very end is left out, a second is not", want, f.File)
		case f.Credential != "":
			return fmt.Sprintf("%s; the credential %q holds a line end: one at its very end is left out, a second is not", want, f.Credential)
		}
		return fmt.Sprintf("%s; the variable %s holds a line end", want, f.Variable)
	}
	return want
}
