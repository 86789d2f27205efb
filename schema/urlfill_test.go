package schema

import (
	"fmt"
	"strings"
	"testing"

	"sonde/probe"
)

// urlSettings are a kind that has a URL, and takes any.
type urlSettings struct {
	plainSettings `validate:"-"`
	URL           string `yaml:"url" fill:"url"`
}

func urlKinds() []probe.Kind {
	return []probe.Kind{{Name: "page", New: func() probe.Settings { return &urlSettings{} }}}
}

// TestFilledURLs: each value is data of its place, and what is a whole part is that part.
func TestFilledURLs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ value, template, want string }{
		{"https://u:p%40w@h:1/a?b=c#d", "${V}", "https://u:p%40w@h:1/a?b=c#d"},
		{"https://h/a", "${V}/b/${V}", "https://h/a/b/https://h/a"},
		{"https://h", "${V}${V}", ""}, // the second one is a host
		{"https", "${V}://h/", "https://h/"},
		{"a@b:c/d?e#f%41 \"é", "https://me:${V}@h/", "https://me:a%40b%3Ac%2Fd%3Fe%23f%2541%20%22%C3%A9@h/"},
		{"a:b:c@/", "https://${V}@h/", "https://a:b%3Ac%40%2F@h/"},
		{"a:b", "https://${V}:${V}@h/", "https://a%3Ab:a%3Ab@h/"},
		{"a:b", "https://${V}${V}@h/", "https://a%3Aba%3Ab@h/"},
		{"a@b", "https://x@${V}@h/", "https://x@a%40b@h/"}, // the last @ ends the user
		{"h:1", "https://${V}/", "https://h:1/"},
		{"::1", "https://${V}/", "https://[::1]/"},
		{"::1", "https://u@${V}:1/", "https://u@[::1]:1/"},
		{"::1", "https://[${V}]:1/", "https://[::1]:1/"},
		{"fe80::1%lo", "https://[${V}]/", "https://[fe80::1%25lo]/"},
		{"[::1]:1", "https://${V}", "https://[::1]:1"},
		{"a/b?c#d e%41&f=g;h", "https://h/${V}", "https://h/a/b%3Fc%23d%20e%2541%26f%3Dg%3Bh"},
		{"a&b=c+d#e%41 /", "https://h/?q=${V}", "https://h/?q=a%26b%3Dc%2Bd%23e%2541%20%2F"},
		{"a=b+c%20d&e=/#f g", "https://h/?${V}", "https://h/?a=b+c%20d&e=/%23f%20g"},
		{"a=b&c", "https://h/?${V}${V}", "https://h/?a%3Db%26ca%3Db%26c"},
		{"a=b&c", "https://h/?x=1&${V}#y", "https://h/?x=1&a%3Db%26c#y"},
		{"a=b&c", "https://h/?${V}#${V}", "https://h/?a=b&c#a%3Db%26c"},
		{"?", "https://h/$${V}$$${V}", "https://h/${V}$%3F"},
		{"x", "https://h/${NONE:-a?b}", "https://h/a%3Fb"},
		{"x", "${NONE:-https://h/a?b}&${V}", "https://h/a?b&x"},
		{"x/y", "h/${V}?${V}", "h/x/y?x/y"},
	} {
		at := fmt.Sprintf("%s with %q", test.template, test.value)
		world := World{LookupEnv: func(name string) (string, bool) { return test.value, name == "V" }}
		data := "probes: [{name: p, page: {url: '" + strings.ReplaceAll(test.template, "'", "''") + "'}}]"
		set, err := world.Parse("probes.yaml", []byte(data), urlKinds())
		switch {
		case err != nil && test.want != "":
			t.Errorf("%s: %v", at, err)
		case err == nil && set.Declared()[0].Settings.(*urlSettings).URL != test.want:
			t.Errorf("%s is %q, want %q", at, set.Declared()[0].Settings.(*urlSettings).URL, test.want)
		}
	}
}
