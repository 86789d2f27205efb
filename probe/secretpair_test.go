package probe

import (
	"regexp"
	"strings"
	"testing"
)

func TestHidePairs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "",
		"?&;":                               "?&;",
		"https://h/?access_token=abc&q=1#f": "https://h/?access_token=<secret>&q=1#f",
		"https://h/?q=1&&API_KEY=a=b;;X-Amz-Signature=d?e;": "https://h/?q=1&&API_KEY=<secret>;;X-Amz-Signature=<secret>;",
		"https://h/?pass%77ord=abc&client_secret=&auth":     "https://h/?pass%77ord=<secret>&client_secret=<secret>&auth",
		"https://h/a;token=b/c?d=e":                         "https://h/a;token=<secret>",
		"https://h/a;x=1?token=abc":                         "https://h/a;x=1?token=<secret>",
		"https://h/?to=http://i/?token=a?b&c=d":             "https://h/?to=http://i/?token=<secret>&c=d",
		"https://h/?token=two words&b=c":                    "https://h/?token=<secret>&b=c",
		"see https://h/?token=one word":                     "see https://h/?token=<secret> word",
		"token=abc":                                         "token=abc",
		"a=1&token=abc":                                     "a=1&token=<secret>",
		"https://h/?a?token=abc":                            "https://h/?a?token=<secret>",
	} {
		if got := HidePairs(text, HiddenPair); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// FuzzHidePairs: nothing is lost, and what is hidden is all that a regular expression finds, too.
func FuzzHidePairs(f *testing.F) {
	f.Add("https://h/?token=a b&c=d;key=e#f")
	f.Add("see ?a&token=b c")
	f.Add("https://h/a;x=1?token=abc")
	name := regexp.MustCompile(`[?&;]([^=&;]*)=`)
	f.Fuzz(func(t *testing.T, text string) {
		var pairs []string
		same := HidePairs(text, func(pair string) string {
			pairs = append(pairs, pair)
			return pair
		})
		if same != text {
			t.Errorf("%q becomes %q though nothing is hidden", text, same)
		}
		for rest := text; ; {
			at := name.FindStringSubmatchIndex(rest)
			switch {
			case at == nil && len(pairs) > 0:
				t.Errorf("of %q %q is hidden, want less", text, pairs)
				return
			case at == nil:
				return
			case !IsSecretParameter(rest[at[2]:at[3]]):
				rest = rest[at[1]:]
				continue
			case len(pairs) == 0 || !strings.HasPrefix(rest[at[0]:], pairs[0]) || len(pairs[0]) < at[1]-at[0]:
				t.Fatalf("of %q %q is hidden, want what is at %q, too", text, pairs, rest[at[0]:])
			}
			rest, pairs = rest[at[0]+len(pairs[0]):], pairs[1:]
			if rest != "" && !strings.ContainsAny(rest[:1], "&;# \t\n\v\f\r") {
				t.Fatalf("of %q a value is hidden up to %q only", text, rest)
			}
		}
	})
}
