package probe_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

func TestAKeyIsARandomUUID(t *testing.T) {
	t.Parallel()
	v4 := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[probe.Key]bool{}
	for range 1000 {
		k := probe.NewKey()
		if !v4.MatchString(k.String()) {
			t.Fatalf("the key is %q, want a UUID of version 4", k)
		}
		if seen[k] {
			t.Fatalf("the key %v was drawn twice", k)
		}
		seen[k] = true
	}
}

func TestAKeyIsWrittenAsUsual(t *testing.T) {
	t.Parallel()
	k := probe.Key{0, 1, 2, 3, 4, 5, 0x46, 7, 0x88, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf}
	if got, want := k.String(), "00010203-0405-4607-8809-0a0b0c0d0e0f"; got != want {
		t.Errorf("the key is %s, want %s", got, want)
	}
}

func TestSinksHandOnInTurn(t *testing.T) {
	t.Parallel()
	first, second := new(script), new(script)
	sinks, p := probe.Sinks{first, second}, &probe.Probe{Name: "shop"}
	sinks.Declare(p)
	sinks.AttemptDone(p, &probe.Attempt{Number: 1})
	sinks.RunDone(&probe.Result{Probe: p, Verdict: probe.Down})
	sinks.Forget(p)
	want := []string{"declare shop", "attempt 1 false wait 0s", "run down", "forget shop"}
	for _, s := range []*script{first, second} {
		if diff := cmp.Diff(want, s.events); diff != "" {
			t.Errorf("want - got +:\n%s", diff)
		}
	}
}

func TestPhasesHaveNames(t *testing.T) {
	t.Parallel()
	var names []string
	for p := range probe.NumPhases {
		names = append(names, p.String())
	}
	want := []string{"queue", "resolve", "connect", "tls", "write", "wait", "transfer"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("want - got +:\n%s", diff)
	}
}
