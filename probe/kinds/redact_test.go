package kinds

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"sonde/probe"
)

func TestRedact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://example.com/":                           "https://example.com/",
		"https://user:hunter2@example.com/a?b=c#token=x": "https://example.com/a?b=c",
		"https://h/?access_token=abc&q=1":                "https://h/?access_token=<secret>&q=1",
		"https://h/?q=1&API_KEY=abc;X-Amz-Signature=d":   "https://h/?q=1&API_KEY=<secret>;X-Amz-Signature=<secret>",
		"https://h/?q=1&&b=2;;c;&":                       "https://h/?q=1&&b=2;;c;&",
		"https://h/?token=two words&q=1":                 "https://h/?token=<secret>&q=1",
		"https://h/a;token=abc?q=1":                      "https://h/a;token=<secret>",
		"https://h/?pass%77ord=abc&client_secret=&auth":  "https://h/?pass%77ord=<secret>&client_secret=<secret>&auth",
		"https://h/?%zztoken=abc":                        "https://h/?%zztoken=<secret>",
		"https://h/p%20q/?x=%20y":                        "https://h/p%20q/?x=%20y",
		"https://h":                                      "https://h",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := redact(u); got != want {
			t.Errorf("%s is shown as %s, want %s", text, got, want)
		}
		if u.String() != text {
			t.Errorf("redacting changed %s into %s", text, u)
		}
	}
}

func TestRedactIsBounded(t *testing.T) {
	t.Parallel()
	u := &url.URL{Scheme: "http", Host: "h", Path: "/", RawQuery: strings.Repeat("é\xff", 1<<20)}
	if got := redact(u); len(got) > maxURL || !utf8.ValidString(got) {
		t.Errorf("%d bytes are shown, valid UTF-8: %v", len(got), utf8.ValidString(got))
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	var s secrets
	s.headers(http.Header{
		"Authorization": {"Bearer abc+def/123"}, "Cookie": {`session=s3ss10n; theme="dark"`}, "X-Api-Key": {"k3y"},
		"Accept": {"text/html"},
	})
	s.headers(http.Header{"Authorization": {"Basic dXNlcjpodW50ZXIy"}}) // user:hunter2
	s.query(url.Values{"token": {"t0ken"}, "page": {"twelve"}})
	s.fields(map[string]any{"password": "pa ss\"<", "name": "bob", "list": []any{map[string]any{"secret": int64(123456)}}}, false)
	s.fields(map[string]any{"secret": []any{uint64(1<<64 - 1), 1234567.5, 1e21, true, nil}}, false)
	for text, want := range map[string]string{
		"":                         "",
		"nothing to hide":          "nothing to hide",
		"Bearer abc+def/123!":      "<secret>!",
		"just abc+def/123":         "just <secret>",
		"q=abc%2Bdef%2F123":        "q=<secret>",
		"s3ss10n and dark":         "<secret> and <secret>",
		"k3yk3y":                   "<secret><secret>",
		"dXNlcjpodW50ZXIy hunter2": "<secret> <secret>",
		"user t0ken twelve bob":    "<secret> <secret> twelve bob",
		"pa ss\"<":                 "<secret>",
		`{"p":"pa ss\"\u003c"}`:    `{"p":"<secret>"}`,
		"pa ss&#34;&lt;":           "<secret>",
		"pa+ss%22%3C":              "<secret>",
		"123456 text/html":         "<secret> text/html",
		"18446744073709551615":     "<secret>",
		"1234567.5 1.2345675e+06":  "<secret> <secret>",
		"1e+21 true null":          "<secret> true null",
		"1000000000000000000000":   "<secret>",
	} {
		if got := string(s.Mask([]byte(text), false)); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestMaskOfACutSecret(t *testing.T) {
	t.Parallel()
	s := secrets{probe.Secrets{"hunter2-hunter2"}}
	for _, test := range []struct {
		text string
		cut  bool
		want string
	}{
		{"a hunter2-hun", true, "a <secret>"},
		{"a hunter2-hun", false, "a hunter2-hun"},
		{"a hunt", true, "a <secret>"},
		{"a hun", true, "a hun"},
		{"a hunter2-bob", true, "a hunter2-bob"},
	} {
		if got := string(s.Mask([]byte(test.text), test.cut)); got != test.want {
			t.Errorf("%q is shown as %q, want %q", test.text, got, test.want)
		}
	}
}

func TestQuotableIsBounded(t *testing.T) {
	t.Parallel()
	s := secrets{probe.Secrets{strings.Repeat("s", maxQuoted)}}
	got := s.quotable([]byte(strings.Repeat("x", maxQuoted-1) + strings.Repeat("s", 1<<20)))
	if len(got) > maxQuoted+len("…") || strings.Contains(got, "sss") {
		t.Errorf("quoted is %q", got)
	}
}
