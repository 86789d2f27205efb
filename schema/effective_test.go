package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shownAs is an effective view, a line a scalar.
func shownAs(e Effective) string {
	var b strings.Builder
	var walk func(list []Value)
	walk = func(list []Value) {
		for _, v := range list {
			if v.Form == Scalar {
				fmt.Fprintf(&b, "%s: %s # %s\n", v.Path, v.Text, v.Origin)
			} else if len(v.Values) == 0 {
				fmt.Fprintf(&b, "%s: nothing # %s\n", v.Path, v.Origin)
			}
			walk(v.Values)
		}
	}
	walk(e.Values)
	return b.String()
}

func TestEffective(t *testing.T) {
	t.Parallel()
	set := parse(t, `
metrics: {histograms: classic}
defaults:
  timeout: {connect: 3s}
  labels: {team: core, tier: one}
  retry: {attempts: 3}
probes:
  - name: a
    labels: {tier: "2"}
    retry: {budget: {ratio: 0.5}, transient: [status]}
    fake:
      address: a:1
      headers: {Accept: "a: b", Authorization: Bearer x}
      codes: 4xx
      match: {X-Y: {contains: "443"}, "a b": {absent: true}}
      json: {n: 1, list: [a, ~], none: {}}
      password: 12345678
`)
	want := `name: a # dir/probes.yaml:8 (probe)
interval: 1m # built-in
timeout.total: 30s # built-in
timeout.connect: 3s # dir/probes.yaml:4 (defaults)
timeout.sock_connect: 5s # built-in
timeout.sock_read: 10s # built-in
deadline: 54s # built-in
retry.attempts: 3 # dir/probes.yaml:6 (defaults)
retry.backoff.kind: additive # built-in
retry.backoff.base: 500ms # built-in
retry.backoff.cap: 10s # built-in
retry.backoff.jitter: 500ms # built-in
retry.backoff.cap_includes_jitter: false # built-in
retry.retry_after.max: 1m # built-in
retry.retry_after.above: stop # built-in
retry.unsafe: before_response # built-in
retry.transparent: 1 # built-in
retry.budget.ratio: 0.5 # dir/probes.yaml:10 (probe)
retry.budget.floor_per_second: 1 # built-in
retry.budget.burst: 10 # built-in
retry.transient[0]: status # dir/probes.yaml:10 (probe)
connection.reuse: true # built-in
connection.idle_timeout: 15s # built-in
connection.max_age: 5m # built-in
connection.dns_cache: false # built-in
connection.per_host: none # built-in
labels.tier: "2" # dir/probes.yaml:9 (probe)
labels.team: core # dir/probes.yaml:5 (defaults)
replication: 1 # built-in
metrics.histograms: classic # dir/probes.yaml:2 (file)
metrics.reasons: true # built-in
metrics.probe_gauges: true # built-in
enabled: true # built-in
fake.address: a:1 # dir/probes.yaml:12 (probe)
fake.method: get # built-in
fake.loud: false # built-in
fake.headers.Accept: "a: b" # dir/probes.yaml:13 (probe)
fake.headers.Authorization: <secret> # dir/probes.yaml:13 (probe)
fake.codes: 4xx # dir/probes.yaml:14 (probe)
fake.match.X-Y.contains: "443" # dir/probes.yaml:15 (probe)
fake.match["a b"].absent: true # dir/probes.yaml:15 (probe)
fake.json.n: 1 # dir/probes.yaml:16 (probe)
fake.json.list[0]: a # dir/probes.yaml:16 (probe)
fake.json.list[1]: null # dir/probes.yaml:16 (probe)
fake.json.none: nothing # dir/probes.yaml:16 (probe)
fake.password: <secret> # dir/probes.yaml:17 (probe)
`
	if diff := cmp.Diff(want, shownAs(set.Effective()[0])); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestEffectiveOfDisabledProbes: they are shown, and have no probe.
func TestEffectiveOfDisabledProbes(t *testing.T) {
	t.Parallel()
	list := parse(t, "probes:\n- {name: a, enabled: false, plain: {address: a}}\n- {name: b, plain: {address: b}}\n").Effective()
	if len(list) != 2 || list[0].Name != "a" || list[0].Probe != nil || list[1].Probe == nil || list[1].Source != "dir/probes.yaml:3" {
		t.Errorf("got %+v", list)
	}
}
