package schema

import (
	"regexp"
	"strings"
	"testing"
)

// mend is a mend that a warning suggests for a key.
var mend = regexp.MustCompile(`(?:want |or )((?:timeout: \{[^}]*\}|interval: \w+|deadline: \w+|attempts: 1)(?: and deadline: \w+)?)`)

// TestWhatMendsAHangLeadsIntoNoOtherWarning follows each suggestion by itself.
func TestWhatMendsAHangLeadsIntoNoOtherWarning(t *testing.T) {
	t.Parallel()
	for _, given := range []map[string]string{
		{"interval": "10s"},
		{"interval": "5s"},
		{"interval": "2s", "retry": "{attempts: 3, backoff: {base: 100ms, jitter: 100ms}}"},
		{"interval": "11s", "timeout": "{total: 20s, connect: 8s, sock_connect: 4s, sock_read: 15s}"},
		{"interval": "1m", "timeout": "{total: 54s, sock_read: 54s}"},
		{"interval": "20s", "deadline": "10s"},
		{"deadline": "10s"},
		{"interval": "1s"},
		{"interval": "3s", "retry": "{attempts: 9, backoff: {kind: full, base: 10ms}}"},
		{"interval": "30s", "retry": "{attempts: 2, backoff: {base: 20s, cap: 20s}}"},
	} {
		warnings := warned(t, given)
		if len(warnings) != 1 || warnings[0].Rule != RuleHang {
			t.Errorf("%v is warned of as %v, want %s", given, warnings, RuleHang)
			continue
		}
		found := mend.FindAllStringSubmatch(warnings[0].Text, -1)
		if len(found) < 2 {
			t.Errorf("%q suggests %v", warnings[0].Text, found)
		}
		for _, m := range found {
			if left := warned(t, mended(given, m[1])); len(left) > 0 {
				t.Errorf("%v with %s is warned of as %v", given, m[1], left)
			}
		}
	}
}

// mended is a probe as a suggestion has it.
func mended(given map[string]string, suggestion string) map[string]string {
	probe := map[string]string{}
	for key, value := range given {
		probe[key] = value
	}
	for _, one := range strings.Split(suggestion, " and ") {
		key, value, _ := strings.Cut(one, ": ")
		switch {
		case key == "attempts":
			key, value = "retry", "{attempts: 1}"
		case key == "timeout" && given["timeout"] != "":
			for _, limit := range strings.Split(strings.Trim(value, "{}"), ", ") {
				name, to, _ := strings.Cut(limit, ": ")
				probe["timeout"] = regexp.MustCompile(`\b`+name+`: \w+`).ReplaceAllString(probe["timeout"], name+": "+to)
			}
			continue
		}
		probe[key] = value
	}
	return probe
}

// warned are the warnings of a probe.
func warned(t *testing.T, probe map[string]string) []Problem {
	t.Helper()
	text := "probes:\n- name: a\n  plain: {address: a}\n"
	for key, value := range probe {
		text += "  " + key + ": " + value + "\n"
	}
	set, err := Parse("probes.yaml", []byte(text), fakeKinds())
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return set.Warnings
}
