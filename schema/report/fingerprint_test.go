package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// prints are the fingerprints of the findings in a file of this text, in order.
func prints(t *testing.T, text string) (list []string) {
	t.Helper()
	f := checked(t, map[string]string{"p.yaml": text}).fingerprints()
	for _, p := range checked(t, map[string]string{"p.yaml": text}).all() {
		list = append(list, f.next(p))
	}
	return list
}

func TestFingerprintsStayWhenLinesMove(t *testing.T) {
	t.Parallel()
	const before = "probes:\n- name: a\n  interval: 5\n  tcp: {address: 'a:1'}\n"
	want := prints(t, before)
	if len(want) != 1 {
		t.Fatalf("got %q, want one fingerprint", want)
	}
	moved := "# a comment\nprobes:\n    - {name: z, tcp: {address: 'z:1'}}\n    - name: b\n      interval: 5   \r\n      tcp: {address: 'a:1'}\n"
	if diff := cmp.Diff(want, prints(t, moved)); diff != "" {
		t.Errorf("a moved line is another, -want +got:\n%s", diff)
	}
	for _, other := range []string{
		"probes:\n- name: a\n  interval: 6\n  tcp: {address: 'a:1'}\n",
		"probes:\n- name: a\n  intervall: 5s\n  tcp: {address: 'a:1'}\n",
	} {
		if got := prints(t, other); len(got) != 1 || got[0] == want[0] {
			t.Errorf("another line or rule has fingerprint %q", got)
		}
	}
}

func TestFingerprintsAreUnique(t *testing.T) {
	t.Parallel()
	const same = "probes:\n- {name: a, interval: 5, tcp: {address: 'a:1'}}\n- {name: a, interval: 5, tcp: {address: 'a:1'}}\n"
	r := checked(t, map[string]string{"a.yaml": same, "b.yaml": same})
	var issues []issueGitLab
	if err := json.Unmarshal([]byte(written(t, GitLab, r)), &issues); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, i := range issues {
		seen[i.Fingerprint] = true
	}
	if len(issues) < 4 || len(seen) != len(issues) {
		t.Errorf("%d fingerprints of %d issues", len(seen), len(issues))
	}
}

// A file that is gone by the time when the report is written costs the text of its lines, no more.
func TestFingerprintsOfAFileThatIsGone(t *testing.T) {
	t.Parallel()
	asked := 0
	f := Report{Source: func(string) ([]byte, error) { asked++; return nil, errors.New("gone") }}.fingerprints()
	seen := map[string]bool{}
	for _, p := range many(3, false) {
		seen[f.next(p)] = true
	}
	if len(seen) != 3 || asked != 1 {
		t.Errorf("%d fingerprints of 3 findings, the file asked for %d times, want once", len(seen), asked)
	}
}

func TestPathsAreRelativeToTheRoot(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ root, name, path, uri string }{
		{"", "probes.yaml", "probes.yaml", "probes.yaml"},
		{"", "./team/../probes.yaml", "probes.yaml", "probes.yaml"},
		{"", "team/a b#c?.yaml", "team/a b#c?.yaml", "team/a%20b%23c%3F.yaml"},
		{"", "a:b.yaml", "a:b.yaml", "./a:b.yaml"},
		{"/repo", "/repo/team/a.yaml", "team/a.yaml", "team/a.yaml"},
		{"/repo/", "/repo/..a.yaml", "..a.yaml", "..a.yaml"},
		{"/repo", "/etc/sonde/a b.yaml", "/etc/sonde/a b.yaml", "file:///etc/sonde/a%20b.yaml"},
	} {
		r := Report{Root: test.root}
		uri, relative := r.uri(test.name)
		got := fmt.Sprint(r.path(test.name), " ", uri)
		if want := test.path + " " + test.uri; got != want || relative != (test.path[0] != '/') {
			t.Errorf("%q from %q: got %s (relative %v), want %s", test.name, test.root, got, relative, want)
		}
	}
}
