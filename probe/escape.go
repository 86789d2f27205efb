package probe

import "strings"

// What of a filled-in value stands unescaped in a place of a URL, beside letters, digits and -._~. Who shows
// a URL finds the value again by them.
const (
	KeptInUserinfo = ""
	KeptInPath     = "/:@"
	KeptInQuery    = ""
	// KeptAsQuery is for one that is all of a query, and so is taken for one: what RFC 3986 lets stand there.
	KeptAsQuery = "!$&'()*+,;=:@/?%"
)

// Escape writes a text as URLs do: each byte that is neither a letter, a digit, one of -._~ nor one of
// keep becomes %XX. A server that takes the escapes away has the very bytes.
func Escape(text, keep string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !isKept(r, keep) }) {
		return text
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; isKept(rune(c), keep) {
			b.WriteByte(c)
		} else {
			b.WriteString("%" + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
		}
	}
	return b.String()
}

func isKept(r rune, keep string) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r < 0x80 && strings.ContainsRune("-._~"+keep, r)
}
