package schema

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sonde/probe"
	"sonde/probe/retry"
)

// parse is the set of a text that has no problem.
func parse(t testing.TB, text string) *Set {
	t.Helper()
	set, err := Parse("dir/probes.yaml", []byte(text), fakeKinds())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// builtInLimits hold where no file says otherwise.
var builtInLimits = probe.Limits{
	Total: 30 * time.Second, Connect: 5 * time.Second, SockConnect: 5 * time.Second, SockRead: 10 * time.Second,
}

func TestBuiltInDefaults(t *testing.T) {
	t.Parallel()
	got := parse(t, "probes:\n- {name: a, fake: {address: 'a:1'}}\n").Probes[0]
	want := &probe.Probe{
		Name: "a", Kind: "fake", Target: "a:1", Host: "a:1", Interval: time.Minute, Source: "dir/probes.yaml:2",
		Policy: retry.Policy{
			Attempts:    4,
			Backoff:     retry.Backoff{Kind: retry.Additive, Base: 500 * time.Millisecond, Cap: 10 * time.Second, Jitter: 500 * time.Millisecond},
			RetryAfter:  retry.RetryAfter{Max: time.Minute, Above: retry.AboveStop},
			Unsafe:      retry.UnsafeBeforeResponse,
			Transparent: 1,
			Deadline:    54 * time.Second,
		},
		Replication: 1,
		Limits:      builtInLimits,
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(probe.Probe{}, "Prober", "Digest")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestProbeOverDefaultsOverBuiltIn(t *testing.T) {
	t.Parallel()
	got := parse(t, `
defaults:
  interval: 5m
  group: base
  labels: {team: core, tier: one}
  retry:
    attempts: 7
    backoff: {base: 1s}
    budget: {ratio: 0.5}
    transient: [tls_alert]
    permanent: [status]
probes:
  - name: a
    group: own
    labels: {team: own, Zone: x}
    description: A probe.
    retry:
      backoff: {cap: 20s, jitter: 0s, kind: full}
      transient: [tls_cert_other, status]
    fake: {address: "a:1"}
`).Probes[0]
	want := &probe.Probe{
		Name: "a", Kind: "fake", Target: "a:1", Host: "a:1", Interval: 5 * time.Minute, Source: "dir/probes.yaml:13",
		Group: "own", Description: "A probe.",
		Labels: []probe.Label{{Name: "Zone", Value: "x"}, {Name: "team", Value: "own"}, {Name: "tier", Value: "one"}},
		Policy: retry.Policy{
			Attempts:    7,
			Backoff:     retry.Backoff{Kind: retry.Full, Base: time.Second, Cap: 20 * time.Second},
			RetryAfter:  retry.RetryAfter{Max: time.Minute, Above: retry.AboveStop},
			Unsafe:      retry.UnsafeBeforeResponse,
			Transparent: 1,
			Deadline:    270 * time.Second,
			Budget:      retry.Budget{Ratio: 0.5, FloorPerSecond: 1, Burst: 10},
		},
		Replication: 1,
		Limits:      builtInLimits,
		Transient:   map[probe.Reason]bool{"tls_cert_other": true, "status": true},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(probe.Probe{}, "Prober", "Digest")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestOneProbeDoesNotReachAnother: what a probe adds to the labels of defaults is its own.
func TestOneProbeDoesNotReachAnother(t *testing.T) {
	t.Parallel()
	set := parse(t, `
defaults: {labels: {team: core}, retry: {transient: [status]}}
probes:
  - {name: a, labels: {own: x}, retry: {transient: [tls_alert]}, plain: {address: a}}
  - {name: b, plain: {address: b}}
`)
	if diff := cmp.Diff([]probe.Label{{Name: "team", Value: "core"}}, set.Probes[1].Labels); diff != "" {
		t.Errorf("labels, -want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[probe.Reason]bool{"status": true}, set.Probes[1].Transient); diff != "" {
		t.Errorf("overrides, -want +got:\n%s", diff)
	}
}

func TestSettingsOfEverySort(t *testing.T) {
	t.Parallel()
	set := parse(t, `
probes:
  - name: a
    fake:
      address: a:1
      width: 3
      size: 65535
      share: 2.5e-1
      loud: true
      headers: {X: 007, Y: "$$5 $x"}
      codes: [200, 4xx]
      numbers: [200]
      rest: 1d1h
      match: {A: text, B: {contains: x, matches: "^a$$", absent: true}}
      words: one
      tls: {min_version: 1.3}
      json: {a: [1, 2.5, true, null, text, 2024-01-02, 12345678901234567890], $x: $$}
`)
	got := set.Probes[0].Prober.(*fakeProber).settings
	if got.Match["B"].Matches.re.String() != "^a$" {
		t.Errorf("matches is %q, want ^a$", got.Match["B"].Matches.re)
	}
	want := &fakeSettings{
		Address: "a:1", Method: "get", Width: 3, Size: 65535, Share: 0.25, Loud: true,
		Headers: map[string]string{"X": "007", "Y": "$5 $x"}, Codes: codes{{200, 200}, {400, 499}}, Numbers: []int{200},
		Rest: 25 * time.Hour, Match: map[string]matcher{"A": {Contains: "text"}, "B": {Contains: "x", Absent: true}},
		Words: words{"one"}, TLS: &fakeTLS{MinVersion: "1.3"},
		JSON: map[string]any{"$x": "$", "a": []any{int64(1), 2.5, true, nil, "text", "2024-01-02", uint64(12345678901234567890)}},
	}
	opts := cmp.Options{cmp.AllowUnexported(codeRange{}), cmpopts.IgnoreUnexported(fakeSettings{}), cmpopts.IgnoreTypes(pattern{})}
	if diff := cmp.Diff(want, got, opts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDisabledProbesAreLeftOut(t *testing.T) {
	t.Parallel()
	set := parse(t, `
defaults: {enabled: false}
probes:
  - {name: a, plain: {address: a}}
  - {name: b, enabled: true, plain: {address: b}}
`)
	if diff := cmp.Diff([]string{"b"}, names(set)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestProbersOfABadSetAreClosed: what a prober holds does not outlive a set that did not load.
func TestProbersOfABadSetAreClosed(t *testing.T) {
	t.Parallel()
	l := newLoader(World{}, fakeKinds())
	l.file(&document{name: "probes.yaml"}, []byte("probes:\n- {name: a, plain: {address: a}}\n- {name: b}\n"))
	made := l.set.Probes
	if _, err := l.finish(); err == nil || len(made) != 1 {
		t.Fatalf("err is %v and %d probers were made, want a problem and 1", err, len(made))
	}
	if !made[0].Prober.(*fakeProber).closed {
		t.Error("the prober is still open")
	}
}
