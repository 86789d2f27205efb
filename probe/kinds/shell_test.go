package kinds

import (
	"os/exec"
	"strings"
	"testing"

	"sonde/probe"
)

// TestQuote: what a real shell makes of a quoted text is the text.
func TestQuote(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh here")
	}
	for _, text := range []string{
		"", "a", "-n", "a b", "it's", "'", "''", `"$HOME" \ ` + "`id`", "a\nb", "\ta", "=x", "a=b", "~", "*", "#", "{a,b}", "ü€",
		"\x1b[2J", "\r", "a\rb'c\x07\x9b", "\u202etxt", "\u2028", "%s\\n", "\xff\xfe",
	} {
		word := quote(text)
		if strings.ContainsAny(word, "\x1b\r\x07\u202e\u2028\u009b") {
			t.Errorf("%q is quoted as %q, which a terminal would obey", text, word)
		}
		out, err := exec.Command("sh", "-c", "printf '%s.' "+word).CombinedOutput()
		if err != nil || string(out) != text+"." {
			t.Errorf("%q is quoted as %s, of which sh makes %q (%v)", text, word, out, err)
		}
	}
}

// FuzzQuote: every word is one word, and holds nothing that a terminal would obey.
func FuzzQuote(f *testing.F) {
	for _, seed := range []string{"", "it's", "\x1b'", "a\rb", "\xff", "$(id)", "`id`", "\u202e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(text, "\x00", "")
		word := quote(text)
		got, ok := unquote(word)
		if !ok || got != text {
			t.Errorf("%q is quoted as %q, which is %q (%t)", text, word, got, ok)
		}
		for i, r := range word {
			if isOdd(r, len(word[i:])-len(strings.TrimPrefix(word[i:], string(r)))) {
				t.Errorf("%q holds %q", word, r)
			}
		}
	})
}

// unquote is what a shell makes of a word of quote; false when it is not one word.
func unquote(word string) (text string, ok bool) {
	for word != "" {
		switch {
		case strings.HasPrefix(word, `"$(printf '`):
			digits, rest, closed := strings.Cut(word[len(`"$(printf '`):], `')"`)
			if !closed {
				return "", false
			}
			for ; len(digits) >= 4; digits = digits[4:] {
				text += string([]byte{(digits[1]-'0')<<6 | (digits[2]-'0')<<3 | (digits[3] - '0')})
			}
			word = rest
		case word[0] == '\'':
			inside, rest, closed := strings.Cut(word[1:], "'")
			if !closed {
				return "", false
			}
			text, word = text+inside, rest
		case strings.HasPrefix(word, `\'`):
			text, word = text+"'", word[2:]
		case bare.MatchString(word):
			return text + word, true
		default:
			return "", false
		}
	}
	return text, true
}

// FuzzSpeller: whatever stands around a value that was filled in, and however often, it does not show.
func FuzzSpeller(f *testing.F) {
	f.Add("Bearer ", "hunter2Xq", "x")
	f.Add("Basic aaa", "aaaa", "aaa")
	f.Add("", "a=b", "; a=b")
	f.Fuzz(func(t *testing.T, before, secret, after string) {
		const names = `"$TOKEN" '<secret>' \` + "printf"
		if len(secret) < probe.MinSecret || strings.Contains(strings.ToLower(names), strings.ToLower(secret)) || strings.ContainsAny(secret, "\\'\x00 =;") {
			t.Skip("it stands in what is said in its place, or cannot be told from the quotes")
		}
		hide := secrets{}
		hide.Add(secret)
		s := newSpeller([]probe.Filled{{Variable: "TOKEN", Value: secret}}, hide)
		text := before + secret + after
		for how, pieces := range map[string][]piece{
			"plain": s.plain(text), "hidden": s.hidden(text), "authorization": s.authorization(text), "cookies": s.cookies(text),
		} {
			for _, p := range pieces {
				if strings.Contains(p.text, secret) {
					t.Errorf("%s of %q shows %q", how, text, word(pieces))
				}
			}
		}
	})
}
