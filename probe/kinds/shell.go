package kinds

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sonde/probe"
)

// speller writes texts as words of a POSIX shell in which no secret stands. It notes what whoever runs
// the command must know.
type speller struct {
	filled  []probe.Filled // the longest first
	secrets secrets
	// variables are the names of those that the command reads, and masked is true once SecretText stands
	// in it.
	variables []string
	masked    bool
	escapes   bool // the function escapes is used
}

func newSpeller(filled []probe.Filled, hide secrets) *speller {
	filled = slices.Clone(filled)
	slices.SortStableFunc(filled, func(a, b probe.Filled) int { return cmp.Compare(len(b.Value), len(a.Value)) })
	return &speller{filled: filled, secrets: hide}
}

// piece is a part of a word: text that is taken as it is, or what the shell puts in its place.
type piece struct{ text, expansion string }

// plain is a text with the names of what was filled into it, and with what is secret besides masked.
func (s *speller) plain(text string) []piece {
	return s.pieces(text, func(_ int, literal string) string { return s.secrets.Text(literal) })
}

// hidden is a credential: it shows what was filled into it by name, and nothing else.
func (s *speller) hidden(text string) []piece {
	return s.pieces(text, func(int, string) string { return probe.SecretText })
}

// schemes are the words before a credential that are none.
var schemes = regexp.MustCompile(`(?i)^(Basic|Bearer|Token|Digest|ApiKey) `)

// authorization is a credential with the scheme before it.
func (s *speller) authorization(value string) []piece {
	return s.pieces(value, func(at int, literal string) string {
		scheme := ""
		if at == 0 {
			scheme = schemes.FindString(literal)
		}
		if scheme == literal {
			return literal
		}
		return scheme + probe.SecretText
	})
}

// cookies is the value of a header Cookie: the names are shown.
func (s *speller) cookies(value string) (list []piece) {
	for i, cookie := range strings.SplitAfter(value, ";") {
		name, v, named := strings.Cut(cookie, "=")
		v, more := strings.CutSuffix(v, ";")
		if !named {
			list = append(list, s.hidden(strings.TrimSuffix(cookie, ";"))...)
			more = i < strings.Count(value, ";")
		} else {
			list = append(append(list, s.plain(name+"=")...), s.hidden(v)...)
		}
		if more {
			list = append(list, piece{text: ";"})
		}
	}
	return list
}

// pieces takes a text apart at what was filled in. show makes what may be shown of the rest, of which it
// gets the place, too. In a URL keeps are what stands unescaped in what was filled in.
func (s *speller) pieces(text string, show func(at int, literal string) string, keeps ...string) (list []piece) {
	from := 0
	flush := func(to int) {
		if from == to {
			return
		}
		shown := show(from, text[from:to])
		s.masked = s.masked || shown != text[from:to]
		list = append(list, piece{text: shown})
	}
	for i := 0; i < len(text); {
		p, size := s.filledAt(text, i, keeps)
		if size == 0 {
			i++
			continue
		}
		flush(i)
		i += size
		from = i
		list = append(list, p)
	}
	flush(len(text))
	return list
}

// filledAt is what was filled in at a place of a text, and its size; 0 where nothing was. In a URL it may be escaped.
func (s *speller) filledAt(text string, at int, keeps []string) (p piece, size int) {
	for _, f := range s.filled {
		if !canExpand(f.Value) {
			continue
		}
		if standsAt(text, at, f.Value, f.Value) && !(f.Absent && len(keeps) > 0) {
			return piece{expansion: s.expansion(f)}, len(f.Value)
		}
		for _, keep := range keeps {
			if escaped := probe.Escape(f.Value, keep); standsAt(text, at, escaped, f.Value) {
				s.escapes = true
				return piece{expansion: `"$(` + escapes + " " + quote(keep) + " " + s.expansion(f) + `)"`}, len(escaped)
			}
		}
	}
	return piece{}, 0
}

// canExpand is true of a value that a shell has whole: one that ends with a line break is not had by $(cat …).
func canExpand(value string) bool {
	return value != "" && !strings.HasSuffix(value, "\n") && !strings.Contains(value, "\x00")
}

// standsAt is true where a value stands in a text, in its form there. What is too short to be a secret must be the
// whole.
func standsAt(text string, at int, form, value string) bool {
	return strings.HasPrefix(text[at:], form) && (len(value) >= probe.MinSecret || text == form)
}

// escapes is the function of the shell that does in a command what probe.Escape does here. It is defined before the
// command where one needs it.
const escapes = "escape"

const escapesDefined = escapes + `() { printf %s "$2" | od -An -v -tu1 | LC_ALL=C awk -v keep="$1" '{ for (i = 1; i <= NF; i++) {` +
	` c = sprintf("%c", $i + 0); if ($i < 128 && (c ~ /[A-Za-z0-9._~-]/ || index(keep, c))) printf "%s", c; else printf "%%%02X", $i } }'; }` + "\n"

// expansion is what a shell puts a filled value in place of.
func (s *speller) expansion(f probe.Filled) string {
	switch {
	case f.Variable != "":
		if !slices.Contains(s.variables, f.Variable) {
			s.variables = append(s.variables, f.Variable)
		}
		return `"$` + f.Variable + `"`
	case f.Credential != "":
		return `"$(cat "$CREDENTIALS_DIRECTORY"/` + quote(f.Credential) + `)"`
	}
	return `"$(cat ` + quote(fileArgument(f.File)) + `)"`
}

// fileArgument is a path that is not taken for a flag.
func fileArgument(path string) string {
	if strings.HasPrefix(path, "-") {
		return "./" + path
	}
	return path
}

// word puts pieces together.
func word(pieces []piece) string {
	var b strings.Builder
	text := ""
	for _, p := range pieces {
		if p.expansion == "" {
			text += p.text
			continue
		}
		if text != "" {
			b.WriteString(quote(text))
			text = ""
		}
		b.WriteString(p.expansion)
	}
	if text != "" || b.Len() == 0 {
		b.WriteString(quote(text))
	}
	return b.String()
}

// bare are the characters that mean nothing to a shell.
var bare = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$`)

// quote is a text without NUL as one word of a shell. Line breaks and tabs stand as they are; what else a
// terminal would obey is written by printf.
func quote(text string) string {
	if bare.MatchString(text) {
		return text
	}
	var b strings.Builder
	for text != "" {
		n, odd := run(text)
		if odd {
			b.WriteString(`"$(printf '` + octal(text[:n]) + `')"`)
		} else {
			b.WriteString("'" + strings.ReplaceAll(text[:n], "'", `'\''`) + "'")
		}
		text = text[n:]
	}
	return cmp.Or(b.String(), "''")
}

// run is how many bytes at the beginning of a text are alike: all odd, or none of them.
func run(text string) (n int, odd bool) {
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		is := isOdd(r, size)
		if n > 0 && is != odd {
			break
		}
		odd = is
		n += size
	}
	return n, odd
}

// isOdd is true of what cannot stand in a command that is shown.
func isOdd(r rune, size int) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return r == utf8.RuneError && size == 1 || !probe.IsPrintable(r)
}

func octal(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, `\%03o`, text[i])
	}
	return b.String()
}
