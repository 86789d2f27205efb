package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFlagsSayTheLoads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args string
		want []load
	}{
		{"", []load{{1000, time.Second}, {5000, time.Second}, {20000, time.Second}, {100000, time.Minute}}},
		{"--loads 10@1s,20@2m", []load{{10, time.Second}, {20, 2 * time.Minute}}},
		{"--targets 300", []load{{300, time.Second}}},
		{"--rate 50 --interval 10s", []load{{500, 10 * time.Second}}},
		{"--short", []load{{1000, time.Second}}},
	} {
		o, err := parseFlags(strings.Fields(tt.args))
		if err != nil {
			t.Errorf("%s: %v", tt.args, err)
			continue
		}
		if diff := cmp.Diff(tt.want, o.loads, cmp.AllowUnexported(load{})); diff != "" {
			t.Errorf("%s: loads, want - got +:\n%s", tt.args, diff)
		}
		for _, l := range o.loads {
			if again, err := parseLoad(l.String()); again != l || err != nil {
				t.Errorf("%v is written %s and read back as %v, %v", l, l, again, err)
			}
		}
	}
}

func TestFlagsRefuse(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--loads 0@1s":         "0",
		"--loads 9@1h":         "interval",
		"--loads 1000000@1m":   "targets",
		"--loads 200000@1s":    "50000",
		"--loads 10":           "interval",
		"--pattern stale":      "stale",
		"--cases steady,never": "never",
		"--rounds 0":           "--rounds",
		"--duration 1h":        "--duration",
		"--warmup -1s":         "--warmup",
		"--output html":        "--output",
		"steady":               "steady",
	} {
		if _, err := parseFlags(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", args, err, want)
		}
	}
}

func TestHasContender(t *testing.T) {
	t.Parallel()
	o := &options{only: []string{"bare", "default"}}
	for name, want := range map[string]bool{"bare loop": true, "sonde": false, "sonde, default policy": true} {
		if o.has(name) != want {
			t.Errorf("%s is wanted: %v, want %v", name, !want, want)
		}
	}
}
