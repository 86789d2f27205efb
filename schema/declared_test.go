package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

// TestDeclared: what a set says of each of its probes, disabled ones too, and where what was filled in came
// from.
func TestDeclared(t *testing.T) {
	t.Parallel()
	set, err := worldOf(nil).Parse("/etc/probes.yaml", []byte(`
probes:
  - name: many
    targets: [{name: one, at: "${cred:token}"}, {name: two, at: plain}]
    fake: {address: "h:1", json: "{{target.at}}"}
  - name: off
    enabled: false
    fake: {address: "h:1", json: "${SECRET}${file:/run/secrets/token}${UNSET:-x}"}
`), fakeKinds())
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Name, Base, Source string
		Enabled            bool
		Filled             []probe.Filled
	}
	var got []row
	for _, d := range set.Declared() {
		got = append(got, row{d.Name, d.Base, d.Source, d.Enabled, d.Env.Filled})
		p, err := d.Build()
		if err != nil || p.Name != d.Name || p.Source != d.Source || p.Prober == nil {
			t.Errorf("%s: built %+v and %v", d.Name, p, err)
		}
	}
	want := []row{
		{"many.one", "many", "/etc/probes.yaml:3", true, []probe.Filled{{Credential: "token", Value: sentinel}}},
		{"many.two", "many", "/etc/probes.yaml:3", true, nil},
		{"off", "off", "/etc/probes.yaml:6", false, []probe.Filled{{Variable: "SECRET", Value: sentinel}, {File: "/run/secrets/token", Value: sentinel}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("declared (-want +got):\n%s", diff)
	}
	if same := set.Declared()[0]; len(set.Probes) != 2 {
		t.Errorf("the set has %d probes, want those that are enabled", len(set.Probes))
	} else if p, _ := same.Build(); p.Digest != set.Probes[0].Digest {
		t.Errorf("what is built anew is another probe: digest %x, want %x", p.Digest, set.Probes[0].Digest)
	}
}

// TestWhatCannotBeBuiltAnewIsNamed: a file may have gone since the set was read.
func TestWhatCannotBeBuiltAnewIsNamed(t *testing.T) {
	t.Parallel()
	set, err := worldOf(nil).Parse("/etc/probes.yaml", []byte("probes:\n  - {name: a, fake: {address: \"h:1\", json: \"${SECRET}\"}}\n"), fakeKinds())
	if err != nil {
		t.Fatal(err)
	}
	d := set.Declared()[0]
	d.Settings = gone{d.Settings}
	_, err = d.Build()
	if err == nil || !strings.Contains(err.Error(), "/etc/probes.yaml:2: probe a: fake: ") || strings.Contains(err.Error(), sentinel) {
		t.Errorf("got %v", err)
	}
}

// gone are settings that cannot be used any more.
type gone struct{ probe.Settings }

func (gone) Prober(probe.Env) (probe.Prober, error) {
	return nil, &probe.Fault{Place: "file", Text: "is gone: " + sentinel}
}
