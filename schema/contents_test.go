package schema

import (
	"slices"
	"testing"
)

// TestNamedFilesAreWatchedAndCount: a file that a block names is among those that the set led to, there or
// not, and its content is part of the probe's digest, but not of what the file says.
func TestNamedFilesAreWatchedAndCount(t *testing.T) {
	t.Parallel()
	const text = `
probes:
- {name: a, fake: {address: "a:1", tls: {cert_file: pki/a.pem, key_file: a.key}}}
- {name: b, fake: {address: "b:1"}}
`
	load := func(content string) *Set {
		files := map[string]string{}
		if content != "" {
			files["pki/a.pem"] = content
		}
		set, err := parseIn("probes.yaml", []byte(text), files)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	one, same, other, none := load("one"), load("one"), load("other"), load("")
	for _, set := range []*Set{one, other, none} {
		if !slices.Contains(set.Files, "pki/a.pem") {
			t.Errorf("the files are %q, want pki/a.pem among them", set.Files)
		}
	}
	if one.Sums["pki/a.pem"] == other.Sums["pki/a.pem"] {
		t.Error("two contents have one sum")
	}
	if _, known := none.Sums["pki/a.pem"]; known {
		t.Error("a file that is not there has a sum")
	}
	digests := func(set *Set) [2]string { return [2]string{set.Probes[0].Digest, set.Probes[1].Digest} }
	if digests(one) != digests(same) {
		t.Error("the same content makes another digest")
	}
	if a, b := digests(one), digests(other); a[0] == b[0] || a[1] != b[1] {
		t.Errorf("another content makes the digests %q of %q, want that of the first alone changed", b, a)
	}
	if one.Hash != other.Hash || one.Effective()[0].Sum != other.Effective()[0].Sum {
		t.Error("the files say the same, but count as changed")
	}
}
