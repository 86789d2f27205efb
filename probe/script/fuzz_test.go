package script_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sonde/probe"
	"sonde/probe/kinds"
	"sonde/probe/script"
	"sonde/schema"
)

// fuzzConfig has a probe of each sort that a test may be for. The attempts are few, so that a long body
// costs little.
const fuzzConfig = `
defaults: {interval: 1h, retry: {attempts: 3}}
probes:
  - {name: get, http: {url: "http://host.example/", expect: {body: {contains: shop}}}}
  - {name: post, http: {url: "http://host.example/", method: POST, body: "x=1"}}
  - {name: secure, http: {url: "https://host.example/", tls: {insecure_skip_verify: true}}}
  - {name: h2, http: {url: "http://host.example:8080/", version: h2c}}
  - {name: endless, timeout: {total: none, connect: none, sock_connect: none, sock_read: none}, http: {url: "http://host.example/"}}
  - {name: smtp, tcp: {address: "host.example:25", dialogue: [{expect: "^220 "}, {send: "QUIT\r\n"}, {expect: "^221 "}]}}
`

// FuzzFile: no text makes the reader of test files panic, every problem has a place and a text, and what
// has none can be played on every sort of probe, comes to a result and can be compared with what was wanted.
func FuzzFile(f *testing.F) {
	seeds, err := filepath.Glob("testdata/agree/*.yaml")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	examples, _ := filepath.Glob("../../examples/tests/*.yaml")
	for _, name := range append(seeds, examples...) {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range []string{
		"probes: [a]\ntests: [{name: a, probe: a, script: [{}], want: {verdict: up}}]\n",
		"probes: a\ntests:\n- {name: a, probe: a, chance: 0.9, kept: true, script: [[{status: 307, headers: {Location: [/a, /b]}}, {hang: body}]], want: {each: [{}], waits: [1s]}}\n",
		"probes: a\ntests:\n- {name: a, probe: a, script: [{talk: [{hear: x}, {say: y, delay: 1d}]}, {body: [{text: x, repeat: 1000000}], unannounced: true}], want: {requests: 1}}\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var file script.File
		doc, err := schema.Decode("tests.yaml", data, &file)
		if err != nil {
			var problems schema.Problems
			if !errors.As(err, &problems) || len(problems) == 0 {
				t.Fatalf("the error is no Problems: %v", err)
			}
			placed(t, problems)
			return
		}
		network := script.New()
		set, err := schema.Parse("probes.yaml", []byte(fuzzConfig), kinds.Over(network, "1.2.3"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range file.Tests[:min(len(file.Tests), 3)] {
			for _, p := range set.Probes {
				playable(t, network, p, &file.Tests[i], doc, i)
			}
		}
	})
}

// playable: the test comes to a result, and whatever is said of it has a place.
func playable(t *testing.T, n *script.Network, p *probe.Probe, test *script.Test, doc *schema.Decoded, i int) {
	played := n.Play(t.Context(), p, test)
	r := played.Result
	if r == nil || r.Verdict == "" || r.Reason == probe.ReasonInternal {
		t.Fatalf("on %s the test comes to %+v", p.Name, r)
	}
	var problems []schema.Problem
	for _, f := range played.Faults {
		problems = append(problems, doc.Problem(probe.Fault{Place: fmt.Sprintf("tests[%d].%s", i, f.Place), Text: f.Text}))
	}
	for _, m := range test.Want.Compare(played) {
		problems = append(problems, doc.Problem(probe.Fault{Place: fmt.Sprintf("tests[%d].%s", i, m.Place), Text: m.String()}))
	}
	placed(t, problems)
}

// placed: every problem has a place and a text.
func placed(t *testing.T, list []schema.Problem) {
	for _, p := range list {
		if p.Line < 1 || p.Column < 1 || p.Text == "" || p.File == "" || p.Rule == "" {
			t.Errorf("a problem without a place, a text or a rule: %+v", p)
		}
	}
}
