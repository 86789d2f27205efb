package metrics

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"sonde/probe"
)

// TestLabelsDifferPerProbe holds that each probe has its own labels and no others, that client_golang
// bears it (a pedantic registry gathers it), and that the lint has nothing to say.
func TestLabelsDifferPerProbe(t *testing.T) {
	r := New(Build{})
	r.Declare(&probe.Probe{Name: "a", Labels: []probe.Label{{Name: "team", Value: "web"}}})
	r.Declare(&probe.Probe{Name: "b", Labels: []probe.Label{{Name: "a", Value: "1"}, {Name: "zone", Value: "2"}}})
	r.Declare(&probe.Probe{Name: "c"})
	want := `sonde_runs_total{a="1",probe="b",zone="2"} 0
sonde_runs_total{probe="a",team="web"} 0
sonde_runs_total{probe="c"} 0
`
	got := strings.Split(exposed(t, r, "sonde_runs_total"), "\n")
	if diff := cmp.Diff(strings.Split(want, "\n"), got, sortLines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(r)
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("lint says %v, %v", problems, err)
	}
}

var sortLines = cmp.Transformer("sort", func(lines []string) map[string]bool {
	m := map[string]bool{}
	for _, l := range lines {
		m[l] = true
	}
	return m
})

// TestHostileLabels brings what a file's check would refuse: nothing of it may spoil the scrape.
func TestHostileLabels(t *testing.T) {
	r := New(Build{Version: "\xff"})
	r.Declare(&probe.Probe{
		Name: "p\"\n\\", Kind: "http", Target: "http://x/?q=\"}\nsonde_runs_total 99\n", Group: "\xc3\x28",
		Labels: []probe.Label{
			{Name: "probe", Value: "another"}, {Name: "le", Value: "1"}, {Name: "reason", Value: "mine"},
			{Name: "no-name", Value: "x"}, {Name: "", Value: "x"}, {Name: "twice", Value: "1"}, {Name: "twice", Value: "2"},
			{Name: "version", Value: "\x00\u2028<b>"},
		},
	})
	want := []string{
		`sonde_runs_total{probe="p\"\n\\",reason="mine",twice="1",version="` + "\x00\u2028<b>" + `"} 0`,
		`sonde_build_info{goversion="",revision="",version="` + "\uFFFD" + `"} 1`,
		`group="` + "\uFFFD" + `(",interval="0s",kind="http",probe="p\"\n\\",reason="mine",target="http://x/?q=\"}\nsonde_runs_total 99\n"`,
	}
	text := exposed(t, r)
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("there is no %q in\n%s", w, text)
		}
	}
	if strings.Contains(text, "\nsonde_runs_total 99") {
		t.Error("a target has made a series of its own")
	}
}

// TestOwnLabelWins holds that a family's label stands where a probe has one of the same name.
func TestOwnLabelWins(t *testing.T) {
	r := New(Build{})
	p := &probe.Probe{Name: "p", Labels: []probe.Label{{Name: "reason", Value: "mine"}}}
	r.Declare(p)
	r.AttemptDone(p, &probe.Attempt{Number: 1, Reason: probe.ReasonStatus})
	want := `sonde_attempt_failures_total{probe="p",reason="status"} 1
`
	if diff := cmp.Diff(want, exposed(t, r, "sonde_attempt_failures")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
