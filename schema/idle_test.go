package schema

import (
	"bytes"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestPrintedLimitsAreNotWarnedOf: what nobody chose is not warned of when it is printed, and what is
// warned of there is warned of in the original too.
func TestPrintedLimitsAreNotWarnedOf(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"{name: a, interval: 5s, retry: {attempts: 1}, plain: {address: a}}",
		"{name: a, timeout: {total: 3s}, plain: {address: a}}",
		"{name: a, interval: 10s, timeout: {total: 2s}, plain: {address: a}}",
		"{name: a, interval: 10s, timeout: {sock_read: 2s}, plain: {address: a}}",
		"{name: a, interval: 10s, timeout: {connect: 1s, sock_read: 2s}, plain: {address: a}}",
		"{name: a, interval: 10s, plain: {address: a}}",
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
		if len(again.Warnings) != len(set.Warnings) || len(set.Warnings) == 1 && again.Warnings[0].Rule != set.Warnings[0].Rule {
			t.Errorf("%s is warned of as %v, and printed as %v", text, set.Warnings, again.Warnings)
		}
		if again.Probes[0].Digest != set.Probes[0].Digest || again.Probes[0].Limits != set.Probes[0].Limits {
			t.Errorf("%s makes another probe when it is printed:\n%s", text, &b)
		}
	}
}

// TestPrintedHangsAreThoseOfTheOriginal: of every file of the corpus.
func TestPrintedHangsAreThoseOfTheOriginal(t *testing.T) {
	t.Parallel()
	for _, archive := range corpus(t) {
		a, err := txtar.ParseFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range cases(a) {
			set, err := parseIn("probes.yaml", data, filesOf(a, name))
			if err != nil || hangs(set) {
				continue
			}
			var b bytes.Buffer
			if err := WriteYAML(&b, set.Effective(), false); err != nil {
				t.Fatal(err)
			}
			if again, err := parseIn("probes.yaml", b.Bytes(), filesOf(a, name)); err == nil && hangs(again) {
				t.Errorf("%s/%s is warned of only when it is printed: %v", archive, name, again.Warnings)
			}
		}
	}
}

func hangs(set *Set) bool {
	for _, p := range set.Warnings {
		if p.Rule == RuleHang {
			return true
		}
	}
	return false
}
