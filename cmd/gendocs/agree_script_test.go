package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sonde/probe/script"
	"sonde/schema"
)

// everyKey is a file of tests with every key that one can have.
const everyKey = `probes: [a.yaml, b.yaml]
x-one: {status: 503}
env: {NAME: value}
files: {secrets/key: value}
tests:
  - name: a
    probe: b
    chance: 0.25
    kept: true
    script:
      - {delay: 1s, status: 503, headers: {Retry-After: "3", Set-Cookie: [a, b]}, body: sorry, unannounced: true}
      - {delay: {resolve: 1s, connect: 1s, tls: 1s, header: 1s}, body: [a, {delay: 2s, text: b, repeat: 3}], cut: body}
      - [{status: 302}, {dns: not_found}, {connect: refused}, {tls: alert}, {hang: header}, {reset: tls}, {stale: true}, {h2: goaway}]
      - {not_http: x, delay: 0s}
      - {talk: [{hear: a}, {say: b, delay: 3s}]}
    want:
      verdict: flaky
      reason: ""
      stop: success
      attempts: 3
      transparent: 1
      requests: 4
      waits: [1s, 2s]
      duration: 1d
      error: some
      each:
        - {ok: true, reason: status, transient: true, evidence: refused, limit: total, phase: wait, duration: 1s, wait: 1s}
        - {wait_source: backoff, status: 200, hops: 1, reused: true, transparent: false, error: ""}
`

// TestSchemaOfTestsAndDecoderAgree is TestSchemaAndDecoderAgree of files of tests.
func TestSchemaOfTestsAndDecoderAgree(t *testing.T) {
	t.Parallel()
	s := compiledTests(t)
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "tests", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of tests: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !agreesOnTests(t, s, name, text) {
			t.Errorf("%s is at fault", name)
		}
	}
	if !agreesOnTests(t, s, "every key", []byte(everyKey)) {
		t.Error("the file with every key is at fault")
	}
	refused := 0
	for _, broken := range mistakes(t, []byte(everyKey)) {
		if !agreesOnTests(t, s, "every key", broken) {
			refused++
		}
	}
	if refused < 100 {
		t.Errorf("only %d of the mistakes were refused, want at least 100: are they still made?", refused)
	}
}

// agreesOnTests compares the two judgements of a text, and says whether it is good.
func agreesOnTests(t *testing.T, s *jsonschema.Schema, name string, text []byte) bool {
	t.Helper()
	_, err := schema.Decode(name, text, &script.File{})
	var problems schema.Problems
	errors.As(err, &problems)
	invalid := s.Validate(asJSON(t, text))
	for _, p := range problems {
		switch p.Rule {
		case schema.RuleUnknownKey, schema.RuleMissingKey, schema.RuleNull, schema.RuleType:
			if invalid == nil {
				t.Errorf("the JSON Schema takes what the decoder does not: %v\n%s", p, text)
			}
			return false
		}
	}
	if len(problems) == 0 && invalid != nil {
		t.Errorf("the decoder takes what the JSON Schema does not: %v\n%s", invalid, text)
	}
	return len(problems) == 0
}

func compiledTests(t *testing.T) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.TestsJSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("tests.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("tests.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}
