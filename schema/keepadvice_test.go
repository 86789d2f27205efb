package schema

import (
	"bytes"
	"strings"
	"testing"
)

// TestPrintedConnectionsAreNotWarnedOf: what is built in and does nothing is no more warned of when it is
// printed than when it is not written at all, and the probe is the same.
func TestPrintedConnectionsAreNotWarnedOf(t *testing.T) {
	t.Parallel()
	for text, comments := range map[string]int{
		"{name: a, plain: {address: a}}":                                                           3,
		"{name: a, connection: {reuse: false}, plain: {address: a}}":                               2,
		"{name: a, connection: {max_age: 1m}, plain: {address: a}}":                                2,
		"{name: a, connection: {max_age: 1m}, fake: {address: 'a:1'}}":                             0,
		"{name: a, connection: {reuse: false}, fake: {address: 'a:1'}}":                            2,
		"{name: a, connection: {reuse: false, max_age: 1m}, fake: {address: 'a:1'}}":               1,
		"{name: a, connection: {reuse: false, per_host: 1}, fake: {address: 'a:1'}}":               2,
		"{name: a, connection: {dns_cache: true, per_host: 1}, plain: {address: a}}":               3,
		"{name: a, connection: {reuse: true, idle_timeout: 1m, max_age: 1m}, plain: {address: a}}": 0,
	} {
		set, err := Parse("probes.yaml", []byte("probes:\n- "+text+"\n"), fakeKinds())
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := WriteYAML(&b, set.Effective(), false); err != nil {
			t.Fatal(err)
		}
		again, err := Parse("probes.yaml", b.Bytes(), fakeKinds())
		if err != nil {
			t.Fatalf("%v in:\n%s", err, &b)
		}
		if len(again.Warnings) != len(set.Warnings) {
			t.Errorf("%s is warned of as %v, and printed as %v", text, set.Warnings, again.Warnings)
		}
		if n := strings.Count(b.String(), "# does nothing: "); n != comments {
			t.Errorf("%s is printed with %d values that do nothing, want %d:\n%s", text, n, comments, &b)
		}
		if again.Probes[0].Digest != set.Probes[0].Digest {
			t.Errorf("%s makes another probe when it is printed:\n%s", text, &b)
		}
	}
}
