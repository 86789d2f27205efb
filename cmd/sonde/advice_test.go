package main

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestCheckAndPlanReckonAlike holds what check warns a host may be sent, and what plan says of it, against each
// other.
func TestCheckAndPlanReckonAlike(t *testing.T) {
	t.Parallel()
	for _, common := range []string{
		"interval: 1s, deadline: none, retry: {attempts: 11, backoff: {base: 0s, jitter: 0s}}",
		"interval: 350ms, deadline: none, retry: {attempts: 4, backoff: {base: 0s}}",
		"interval: 350ms, deadline: none, retry: {attempts: 4, backoff: {base: 0s}, transparent: 0}",
		"interval: 1s, deadline: none, retry: {attempts: 60, backoff: {base: 100ms, cap: 100ms}}",
		"interval: 100ms, deadline: none, retry: {attempts: 3, backoff: {base: 100ms, cap: 100ms}}",
		"interval: 50ms, deadline: 40ms, retry: {attempts: 3, backoff: {base: 30ms}}",
		"interval: 1s, retry: {attempts: 40, backoff: {kind: full}}",
		"interval: 1s, retry: {attempts: 40, backoff: {kind: full}, budget: {ratio: 0.2, floor_per_second: 20, burst: 10}}",
	} {
		for _, reuse := range []string{"true", "false"} {
			t.Run(common+" "+reuse, func(t *testing.T) {
				t.Parallel()
				file := t.TempDir() + "/probes.yaml"
				put(t, file, "defaults: {connection: {reuse: "+reuse+"}, "+common+"}\nprobes:\n  - {name: one, http: {url: http://x:1/}}\n")
				warned := said(t, `up to ([\d,.]+) requests a minute`, "check", file)
				planned := said(t, `at worst ([\d.]+)\n`, "plan", file)
				if n, err := strconv.ParseFloat(planned, 64); err != nil || strconv.FormatFloat(math.Round(n), 'f', -1, 64) != warned {
					t.Errorf("check warns of %q requests a minute, plan says %q", warned, planned)
				}
			})
		}
	}
}

// said is the group of the expression in what a command prints, without commas; empty where it is not there.
func said(t *testing.T, expression string, args ...string) string {
	t.Helper()
	s := startCommand(t, args...)
	s.wait()
	m := regexp.MustCompile(expression).FindStringSubmatch(s.out.String() + s.err.String())
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(m[1], ",", "")
}
