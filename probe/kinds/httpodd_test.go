package kinds

import (
	"strings"
	"testing"

	"sonde/probe"
)

// TestURLsThatLookRight names the character that nobody sees.
func TestURLsThatLookRight(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"http://a b/":      "; it holds a space",
		"“http://a/”":      "; it holds “, which is no quote in YAML: want \" or '",
		"http://a\n.b/":    "; it holds a line end",
		"http://u:p%zz@h/": "",
	} {
		s := &HTTP{house: &house{}, URL: url, Method: "GET"}
		faults := s.Check(probe.Env{})
		if len(faults) == 0 || !strings.HasSuffix(faults[0].Text, "such as https://www.example.com/"+want) {
			t.Errorf("of %q it says %v, want it to end with %q", url, faults, want)
		}
	}
}

// TestWhereALineEndComesFrom: a secret of two lines is not shown, but its file is.
func TestWhereALineEndComesFrom(t *testing.T) {
	t.Parallel()
	const line = "has a value that no header can have, want a text of one line"
	for _, test := range []struct {
		filled probe.Filled
		want   string
	}{
		{probe.Filled{File: "/run/t", Value: "hunter2\n"}, `; the text of "/run/t" holds a line end: one at its very end is left out, a second is not`},
		{probe.Filled{Credential: "t", Value: "hunter2\n"}, `; the credential "t" holds a line end: one at its very end is left out, a second is not`},
		{probe.Filled{Variable: "T", Value: "hunter2\n"}, "; the variable T holds a line end"},
		{probe.Filled{Variable: "T", Value: "other\n"}, ""},
		{probe.Filled{Variable: "T", Value: "hunter2"}, ""},
	} {
		s := &HTTP{house: &house{}, URL: "https://h/", Method: "GET", Headers: map[string]string{"X-A": "Bearer hunter2\n"}}
		s.Proxy = HTTPProxy{URL: "http://p:1", Headers: map[string]string{"X-B": "hunter2\n"}}
		for _, f := range s.Check(probe.Env{Filled: []probe.Filled{test.filled}}) {
			if !f.Warning && f.Text != line+test.want {
				t.Errorf("%s: got %q, want %q", f.Place, f.Text, line+test.want)
			}
		}
	}
}

// TestStatusesInOneText are a list.
func TestStatusesInOneText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"200, 201":   "want several as a list: [200, 201]",
		"2xx,301":    "want several as a list: [2xx,301]",
		"200, three": errStatus.Error(),
		",":          errStatus.Error(),
	} {
		if err := new(StatusRange).UnmarshalText([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
