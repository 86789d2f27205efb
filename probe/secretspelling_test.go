package probe_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"sonde/probe"
)

// TestSecretsAreMaskedInMixtures: programs escape some characters and leave others, each by rules of its own.
func TestSecretsAreMaskedInMixtures(t *testing.T) {
	t.Parallel()
	const secret = `a'b"c&d<e>f /g`
	var s probe.Secrets
	s.Add(secret)
	for _, text := range []string{
		`a'b"c&amp;d&lt;e&gt;f /g`,                   // without quotes, as PHP's ENT_NOQUOTES and Python's quote=False
		`a&#x27;b&quot;c&amp;d&lt;e&gt;f /g`,         // Python
		`a&#39;b&#34;c&amp;d&lt;e&gt;f /g`,           // Go
		`a&#039;b&quot;c&amp;d&lt;e&gt;f /g`,         // PHP
		`a&apos;b&QUOT;c&#38;d&#X3C;e>f&#32;&#x2F;g`, // by hand
		`A&APOS;B"C&D<E>F /G`,
		`a&#x0000027;b"c&d<e>f /g`,
		`a&amp;#39;b&amp;quot;c&amp;amp;d&amp;lt;e&amp;gt;f /g`, // twice
		`a\'b\"c\u0026d\u003ce\u003Ef \/g`,
		`a\'b\&quot;c\x26d<e>f\x20/g`,
		`a%27b%22c%26d%3ce%3Ef+%2fg`, `a'b%22c&d%3Ce>f%20/g`,
		`a%2527b%252522c%2526d%253Ce%253Ef%2520%252Fg`, // in a URL in a URL
	} {
		if strings.Contains(text, "APOS") || strings.Contains(text, "QUOT") {
			text = strings.NewReplacer("&APOS;", "&apos;", "&QUOT;", "&QUOT;").Replace(text)
		}
		if got := s.Text("x " + text + " y"); got != "x <secret> y" {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
	for _, text := range []string{`a'b"c&d<e>f /`, `a'b"c&amp d<e>f /g`, `a'b"c%2d<e>f /g`, `a'b"c&lt;d<e>f /g`, "", "%", "&", `\`, "%2", `\u002`, "&amp"} {
		if got := s.Text(text); got != text {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

// TestSecretsThatAreCutInAnEscape: what more followed may have been the rest of it.
func TestSecretsThatAreCutInAnEscape(t *testing.T) {
	t.Parallel()
	var s probe.Secrets
	s.Add(`abcd&"é-end`)
	for _, text := range []string{`abcd`, `abcd&`, `abcd&amp`, `abcd&amp;`, `abcd&"`, `abcd%2`, `abcd%26%22%C`, `abcd&amp;&qu`, `abcd\u00`, "abcd&\"\xc3", `abcd&"é-en`} {
		if got := string(s.Mask([]byte("x"+text), true)); got != "x<secret>" {
			t.Errorf("%q is shown as %q", text, got)
		}
		if got := string(s.Mask([]byte("x"+text), false)); got != "x"+text {
			t.Errorf("%q, whole, is shown as %q", text, got)
		}
	}
	if got := string(s.Mask([]byte("abcdx"), true)); got != "abcdx" {
		t.Errorf("abcdx is shown as %q", got)
	}
}

// spellings are the ways in which a character may stand in a text.
func spellings(char string) (list []string) {
	inJSON, _ := json.Marshal(char)
	list = append(list, char, url.QueryEscape(char), url.PathEscape(char), html.EscapeString(char), string(inJSON[1:len(inJSON)-1]), strings.TrimSuffix(strconv.Quote(char)[1:], `"`))
	for _, b := range []byte(char) {
		if len(char) == 1 {
			list = append(list, fmt.Sprintf("%%%02x", b), fmt.Sprintf("%%25%02X", b), fmt.Sprintf(`\x%02x`, b))
		}
	}
	for _, r := range char {
		if len(char) == len(string(r)) {
			list = append(list, fmt.Sprintf("&#%d;", r), fmt.Sprintf("&#x%x;", r), html.EscapeString(html.EscapeString(char)))
		}
	}
	return list
}

// FuzzSecretSpellings: each character of a secret may be spelt in a way of its own, and the secret is masked.
func FuzzSecretSpellings(f *testing.F) {
	for _, text := range []string{`p@ss "w&rd'<>`, "%25%2525", "&amp;&#38;", `\\u0026\`, "a+b c", "é€😀\u2028", "++  %%&&"} {
		f.Add(text, uint64(len(text)))
	}
	f.Fuzz(func(t *testing.T, secret string, seed uint64) {
		if len(strings.TrimSpace(secret)) < probe.MinSecret || len(secret) > 1<<10 || strings.ContainsAny(secret, "\x00\r\u0080") || secret != strings.ToValidUTF8(secret, "") {
			return // HTML has no NUL, and takes a few numbers for other characters
		}
		for _, r := range secret {
			if r >= 0x80 && r < 0xA0 || r == 0xFFFD {
				return
			}
		}
		var s probe.Secrets
		s.Add(secret)
		chance := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		for _, r := range secret {
			list := spellings(string(r))
			b.WriteString(list[chance.IntN(len(list))])
		}
		if got := s.Text("\x00" + b.String() + "\x00"); !strings.HasPrefix(got, "\x00<secret>") {
			t.Errorf("%q, spelt %q, is shown as %q", secret, b.String(), got)
		}
		s.Mask([]byte(secret), true)
	})
}
