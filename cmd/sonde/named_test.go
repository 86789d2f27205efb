package main

import (
	"strings"
	"testing"

	"sonde/probe/conn"
)

// TestWordsMeanProbes: the rules by which once and plan choose, in the order of the file.
func TestWordsMeanProbes(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/probes.yaml"
	put(t, file, `probes:
- {name: home, tcp: {address: "a:1"}}
- {name: api, targets: [{name: eu}, {name: us}], tcp: {address: "a:1"}}
- {name: off, enabled: false, tcp: {address: "a:1"}}
- {name: old, enabled: false, targets: [{name: a}, {name: b}], tcp: {address: "a:1"}}
`)
	network := conn.New(conn.Options{})
	defer network.Close()
	set, err := sourceOf(fileFlags{}, []string{file}, network).load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(set.Probes)
	for words, want := range map[string]string{
		"": "home api.eu api.us", "api.us home api.us": "home api.us", "api.*": "api.eu api.us", "?ome api.e[tu]": "home api.eu",
		"o* home":     "! all probes with a name like \"o*\" are disabled",
		"*":           "home api.eu api.us",
		"*ff home":    "! all probes with a name like \"*ff\" are disabled",
		"api":         "! probe \"api\" has 2 targets: name one, as in api.eu, or all of them: 'api.*'",
		"off":         "! the probe \"off\" is disabled: enabled: false stands at " + file + ":4:24: sonde explain off runs it once",
		"old.b api.*": "! the probe \"old.b\" is disabled",
		"hom":         "! there is no probe \"hom\": did you mean home?",
		"zzzzzzzz":    "! there is no probe \"zzzzzzzz\": all else",
		"z*":          "! no probe has a name like \"z*\": all else",
		"[a":          "! \"[a\" is no pattern of names",
	} {
		var names []string
		picked, err := pick(set, strings.Fields(words), "all else")
		for _, p := range picked {
			names = append(names, p.Name)
		}
		got := strings.Join(names, " ")
		if err != nil {
			f := err.(*failure)
			got = "! " + f.err.Error() + ": " + f.hint
		}
		if got != want && !(strings.HasPrefix(want, "!") && strings.HasPrefix(got, want)) {
			t.Errorf("%q means %s, want %s", words, got, want)
		}
	}
}
