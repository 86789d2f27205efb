package schema

import "testing"

// TestReplication: what a probe says beats its profile, that beats defaults, and 1 holds where nobody says
// anything. Targets are probes of their own.
func TestReplication(t *testing.T) {
	t.Parallel()
	set := parse(t, `
profiles: {many: {replication: 7}}
probes:
  - {name: a, plain: {address: a}}
  - {name: b, use: many, plain: {address: a}}
  - {name: c, use: many, replication: 3, targets: [x, y], plain: {address: "{{target}}"}}
`)
	want := map[string]int{"a": 1, "b": 7, "c.x": 3, "c.y": 3}
	for _, p := range set.Probes {
		if p.Replication != want[p.Name] {
			t.Errorf("%s: replication %d, want %d", p.Name, p.Replication, want[p.Name])
		}
	}
	if len(set.Probes) != len(want) {
		t.Errorf("%d probes, want %d", len(set.Probes), len(want))
	}
	if got := parse(t, "{defaults: {replication: 2}, probes: [{name: a, plain: {address: a}}]}").Probes[0].Replication; got != 2 {
		t.Errorf("of defaults: replication %d, want 2", got)
	}
	one := digests(t, "probes: [{name: a, plain: {address: a}}]")[0]
	if same := digests(t, "probes: [{name: a, replication: 1, plain: {address: a}}]")[0]; same != one {
		t.Error("the default said aloud has another digest")
	}
	if two := digests(t, "probes: [{name: a, replication: 2, plain: {address: a}}]")[0]; two == one {
		t.Error("another replication has the same digest")
	}
}
