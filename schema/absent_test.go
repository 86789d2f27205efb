package schema

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

// absently reads a text on a machine that has none of what it asks for.
func absently(t *testing.T, text string) (*Set, Problems) {
	t.Helper()
	w := worldOf(nil)
	w.Absent = true
	set, err := w.Parse("probes.yaml", []byte(text), fakeKinds())
	var problems Problems
	if err != nil && !errors.As(err, &problems) {
		t.Fatal(err)
	}
	return set, problems
}

// TestAbsentValuesAreNotJudged holds that what is not there takes the place of a value of any type, and
// that what stands in the file beside is used.
func TestAbsentValuesAreNotJudged(t *testing.T) {
	t.Parallel()
	set, problems := absently(t, `
probes:
  - name: a
    targets: [{name: eu, host: "${HOST}"}]
    fake:
      address: "{{target.host}}:${PORT}"
      method: "${METHOD}"
      codes: [200, "${CODE}", 4xx]
      numbers: ["${N}", 100]
      rest: "${REST}"
      match: {A: {matches: "${RE}"}, B: "${TEXT}", C: {absent: "${YES}"}}
      password: "${file:none}"
      tls: {cert_file: none.pem, key_file: other.pem, min_version: "${V}"}
  - {name: b, fake: {address: "b:1", codes: "${CODES}"}}
`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s := set.Probes[0].Prober.(*fakeProber).settings
	if diff := cmp.Diff(codes{{200, 200}, {400, 499}}, s.Codes, cmp.AllowUnexported(codeRange{})); diff != "" {
		t.Errorf("the codes that stand in the file, -want +got:\n%s", diff)
	}
	if host, port, _ := strings.Cut(s.Address, ":"); host == port || len(host) != 5 || len(port) != 5 {
		t.Errorf("the address is %q, want two numbers of five digits", s.Address)
	}
	if len(s.Match) != 3 || s.Match["C"].Absent {
		t.Errorf("matchers are %+v, want the three that stand in the file", s.Match)
	}
	if other := set.Probes[1].Prober.(*fakeProber).settings; !cmp.Equal(other.Codes, codes{{200, 299}}, cmp.AllowUnexported(codeRange{})) {
		t.Errorf("codes are %v, want the default", other.Codes)
	}
	if target := set.Probes[0].Target; target != probe.SecretText+":"+probe.SecretText {
		t.Errorf("the target is %q, want it masked", target)
	}
}

// TestAbsentHidesNoOtherMistake holds that what does not depend on what is absent is judged as ever.
func TestAbsentHidesNoOtherMistake(t *testing.T) {
	t.Parallel()
	_, problems := absently(t, `
probes:
  - {name: a, fake: {address: "${A}", codes: ["${B}", 999]}}
  - {name: "${C}", fake: {address: "a:1", password: short, headers: {Fail: fault, X: "${D}"}}}
`)
	var said []string
	for _, p := range problems {
		said = append(said, p.Rule)
	}
	if diff := cmp.Diff([]string{RuleValue, RulePublic, RuleValue}, said); diff != "" {
		t.Errorf("rules, -want +got:\n%s\n%v", diff, problems)
	}
}
