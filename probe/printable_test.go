package probe

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, printable, line string }{
		{"nothing", "", "", ""},
		{"plain", `status 503, want "2xx" – grüße`, `status 503, want "2xx" – grüße`, `status 503, want "2xx" – grüße`},
		{"other scripts", "Ошибка 障害\u3000✓ e\u0301", "Ошибка 障害\u3000✓ e\u0301", "Ошибка 障害\u3000✓ e\u0301"},
		{"an escape sequence", "a\x1b[31mred", `a\x1b[31mred`, `a\x1b[31mred`},
		{"one of eight bits", "a\u009b31m", `a\x9b31m`, `a\x9b31m`},
		{"lines", "a\nb\r\nc\n", `a\x0ab\x0d\x0ac\x0a`, "a; b; c"},
		{"a carriage return", "bad\rgood", `bad\x0dgood`, `bad\x0dgood`},
		{"Unicode's line breaks", "a\u0085b\u2028c\u2029d", `a\x85b\u2028c\u2029d`, `a\x85b\u2028c\u2029d`},
		{"a tab", "a\tb", `a\x09b`, "a b"},
		{"a turned direction", "up\u202enwod\u2066\u200f", `up\u202enwod\u2066\u200f`, `up\u202enwod\u2066\u200f`},
		{"unseen", "a\u200bb\u00ad\ufeff\x00", `a\u200bb\xad\ufeff\x00`, `a\u200bb\xad\ufeff\x00`},
		{"unseen letters that machines read", "a\U000e0041", `a\U000e0041`, `a\U000e0041`},
		{"what XML cannot hold", "\ufffe\uffff", `\ufffe\uffff`, `\ufffe\uffff`},
		{"no UTF-8", "a\x9bb\xff", "a\ufffdb\ufffd", "a\ufffdb\ufffd"},
	} {
		if got := Printable(c.text); got != c.printable {
			t.Errorf("%s: Printable(%q) is %q, want %q", c.name, c.text, got, c.printable)
		}
		if got := Line(c.text); got != c.line {
			t.Errorf("%s: Line(%q) is %q, want %q", c.name, c.text, got, c.line)
		}
	}
}

// TestPrintableOfEveryCharacter holds the contract against all that Unicode has.
func TestPrintableOfEveryCharacter(t *testing.T) {
	t.Parallel()
	for r := range rune(unicode.MaxRune + 1) {
		for _, got := range []string{Printable("a" + string(r)), Line("a" + string(r))} {
			if strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) }) {
				t.Errorf("of %U comes %q, which a terminal may obey", r, got)
			}
			if Printable(got) != got || Line(got) != got {
				t.Errorf("of %U comes %q, and of that something else", r, got)
			}
		}
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text          string
		most          int
		shorten, clip string
	}{
		{"", 3, "", ""}, {"abc", 3, "abc", "abc"}, {"abcd", 3, "ab…", "abc"},
		{"äöü", 3, "äöü", "ä"}, {"äöüß", 3, "äö…", "ä"}, {"€", 2, "€", ""}, {"€€€", 1, "…", ""}, {"abc", 0, "…", ""},
	} {
		if got := Shorten(c.text, c.most); got != c.shorten {
			t.Errorf("Shorten(%q, %d) is %q, want %q", c.text, c.most, got, c.shorten)
		}
		if got := Clip(c.text, c.most); got != c.clip {
			t.Errorf("Clip(%q, %d) is %q, want %q", c.text, c.most, got, c.clip)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b[31m\n\u202e\xff", 3)
	f.Fuzz(func(t *testing.T, text string, most int) {
		for _, got := range []string{Printable(text), Line(text)} {
			if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return !IsPrintable(r) }) {
				t.Errorf("%q becomes %q", text, got)
			}
		}
		if most = max(1, most%100); utf8.RuneCountInString(Shorten(text, most)) > most {
			t.Errorf("%q is shortened to %q, want at most %d characters", text, Shorten(text, most), most)
		}
		if got := Clip(text, most); len(got) > most || !strings.HasPrefix(text, got) {
			t.Errorf("%q is clipped to %q, want at most %d bytes of its beginning", text, got, most)
		}
	})
}
