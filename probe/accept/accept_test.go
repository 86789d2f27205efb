package accept

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestElements(t *testing.T) {
	t.Parallel()
	type element struct {
		Name   string
		Weight float64
	}
	for _, c := range []struct {
		lines []string
		want  []element
	}{
		{nil, nil},
		{[]string{"gzip"}, []element{{"gzip", 1}}},
		{[]string{"Text/HTML ;level=1; q=0.5, */*;Q=0"}, []element{{"text/html", 0.5}, {"*/*", 0}}},
		{[]string{"a", "b;q=.25"}, []element{{"a", 1}, {"b", 0.25}}},
		{[]string{"a;q=x, b;q=, c;q, d;q=NaN, e;q=-1, f;q=2, g;q=1e999"},
			[]element{{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}, {"e", 0}, {"f", 0}, {"g", 0}}},
		{[]string{"a;xq=0.5;q=0.75"}, []element{{"a", 0.75}}},
	} {
		var got []element
		for name, weight := range Elements(c.lines) {
			got = append(got, element{name, weight})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.lines, diff)
		}
	}
}

// FuzzElements reads what anybody may send: a weight is always one.
func FuzzElements(f *testing.F) {
	f.Add("text/html;q=0.5, text/plain;q=NaN,;q=")
	f.Fuzz(func(t *testing.T, line string) {
		for name, weight := range Elements([]string{line}) {
			if !(weight >= 0 && weight <= 1) {
				t.Errorf("%q: the weight of %q is %v", line, name, weight)
			}
		}
	})
}
