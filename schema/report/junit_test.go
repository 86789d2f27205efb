package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/schema"
)

// TestCasesAreOfFilesThatAreChecked: a secret's file is none, unless something is wrong with it.
func TestCasesAreOfFilesThatAreChecked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		files, want []string
		wrong       []schema.Problem
	}{
		{[]string{"/p.yaml", "/q.YML", "/run/secrets/tok", "/sd.json", "/ca.pem"}, []string{"/p.yaml", "/q.YML", "/sd.json"}, nil},
		{[]string{"/p.yaml", "/run/secrets/tok"}, []string{"/p.yaml", "/run/secrets/tok"}, []schema.Problem{{File: "/run/secrets/tok", Rule: "x"}}},
		{[]string{"/probes.conf", "/tok"}, []string{"/probes.conf", "/tok"}, nil},
	} {
		var names []string
		for _, c := range (Report{Root: "/nowhere", Files: test.files, Problems: test.wrong}).cases() {
			names = append(names, c.Name)
		}
		if diff := cmp.Diff(test.want, names); diff != "" {
			t.Errorf("of %q, -want +got:\n%s", test.files, diff)
		}
	}
}
