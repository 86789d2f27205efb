package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"sonde/probe/script"
	"sonde/schema"
)

// config is what the tests of testdata/agree and the property test probe.
const config = `
defaults:
  interval: 1h
  timeout: {total: 30s, connect: 5s, sock_connect: 4s, sock_read: 10s}
  deadline: none
probes:
  - {name: get, http: {url: "http://host.example/", expect: {body: {contains: shop}}}}
  - {name: plain, http: {url: "http://192.0.2.9/"}}
  - {name: head, http: {url: "http://host.example/", method: HEAD}}
  - {name: post, http: {url: "http://host.example/", method: POST, body: "x=1"}}
  - {name: post-never, retry: {unsafe: never}, http: {url: "http://host.example/", method: POST, body: "x=1"}}
  - {name: keyed, http: {url: "http://host.example/", method: POST, json: {a: 1}, idempotency_key: auto, expect: {status: [201]}}}
  - {name: fresh, connection: {reuse: false}, http: {url: "http://host.example/"}}
  - {name: opaque, retry: {transparent: 0}, http: {url: "http://host.example/"}}
  - {name: hasty, deadline: 12s, http: {url: "http://host.example/"}}
  - {name: patient, timeout: {total: 5m}, retry: {attempts: 2}, http: {url: "http://host.example/"}}
  - {name: brief-connect, timeout: {connect: 2s}, http: {url: "http://host.example/"}}
  - {name: secure, http: {url: "https://host.example/", version: "1.1", tls: {ca_file: ca.pem}}}
  - {name: careless, http: {url: "https://host.example/", version: "1.1", tls: {insecure_skip_verify: true}}}
  - {name: proxied, http: {url: "https://host.example/", version: "1.1", proxy: "http://proxy.example:3128", tls: {ca_file: ca.pem}}}
  - {name: proxied-plain, http: {url: "http://host.example/", proxy: "http://proxy.example:3128"}}
  - {name: h2, http: {url: "http://host.example:8080/", version: h2c}}
  - {name: h2-post, http: {url: "http://host.example:8080/", version: h2c, method: POST, body: x}}
  - {name: endless, timeout: {total: none, connect: none, sock_connect: none, sock_read: none}, http: {url: "http://host.example/"}}
  - {name: port, tcp: {address: "host.example:25"}}
  - {name: mail, timeout: {sock_read: 3s}, tcp: {address: "host.example:25", dialogue: [{expect: "^220 "}, {send: "QUIT\r\n"}, {expect: "(?m)^221 "}]}}
  - {name: mails, tcp: {address: "host.example:853", tls: {ca_file: ca.pem}, dialogue: [{expect: "^220 "}]}}
`

// TestAgreesWithTheRealNetwork plays each script twice: over the scripted network, and over the real one
// with endpoints in memory that do what the script says. The records must be the same, and be what the
// file wants.
func TestAgreesWithTheRealNetwork(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/agree/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range files {
		file := decode(t, name)
		for i := range file.Tests {
			test := &file.Tests[i]
			t.Run(strings.TrimSuffix(filepath.Base(name), ".yaml")+"/"+test.Name, func(t *testing.T) {
				t.Parallel()
				played := agrees(t, config, test)
				for _, m := range test.Want.Compare(played) {
					t.Errorf("%s", m)
				}
			})
		}
	}
}

// decode reads a file of tests.
func decode(t *testing.T, name string) *script.File {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var file script.File
	if _, err := schema.Decode(name, text, &file); err != nil {
		t.Fatal(err)
	}
	return &file
}

// TestTies plays what the real network leaves to chance.
func TestTies(t *testing.T) {
	t.Parallel()
	file := decode(t, "testdata/ties.yaml")
	for i := range file.Tests {
		test := &file.Tests[i]
		for _, m := range test.Want.Compare(play(t, config, test)) {
			t.Errorf("%s: %s", test.Name, m)
		}
	}
}

// agrees plays a test twice, holds the records against each other, and returns what the script gave.
func agrees(t *testing.T, config string, test *script.Test) script.Played {
	t.Helper()
	played := play(t, config, test)
	for _, f := range played.Faults {
		t.Errorf("the script is at fault: %s", f.Error())
	}
	var real script.Played
	synctest.Test(t, func(t *testing.T) { real = reallyPlay(t, config, test) })
	if diff := cmp.Diff(recordOf(real), recordOf(played)); diff != "" {
		t.Errorf("records, real - scripted +:\n%s", diff)
		for i, a := range real.Result.Attempts {
			t.Logf("real %d: %v", i, a.Err)
		}
	}
	return played
}
