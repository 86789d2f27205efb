package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// hidden is what all secrets of the test begin with: nothing may show it or its beginning, in whatever
// case or coding.
const hidden = "hunter2Xq"

// echo answers every request with all that came in it, and fails it.
func echo() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Echo", r.Header.Get("X-Plain"))
		w.WriteHeader(map[bool]int{true: 200, false: 503}[strings.Contains(r.URL.Path, "ok")])
		if r.URL.Path == "/cut" { // within a secret, where the head of the body ends
			fmt.Fprintf(w, "%s%s%s", strings.Repeat("x", 1018), r.Header.Get("X-Plain"), strings.Repeat("x", 100))
		}
		fmt.Fprintf(w, "%s?%s %s %s %v", r.URL.EscapedPath(), r.URL.RawQuery, r.Header.Get("X-Plain"), body, r.Header)
	}))
}

// secretFile has a secret in every place of a file that may hold one.
const secretFile = `
defaults:
  interval: 1s
  timeout: {total: 800ms, connect: 400ms, sock_connect: 400ms, sock_read: 400ms}
  retry: {attempts: 2, backoff: {base: 1ms, cap: 1ms, jitter: 0s}}
profiles:
  keyed: {http: {headers: {Authorization: "Bearer ${file:secret}"}}}
probes:
  - name: url
    use: keyed
    http: {url: "ECHO/${file:secret}/x?q=${file:secret}&token=${file:secret}#${file:secret}"}
  - name: userinfo
    http: {url: "http://${file:secret}:${file:secret}@HOST/"}
  - name: header
    http: {url: ECHO/, headers: {X-Plain: "v ${file:odd}", Cookie: "a=${file:odd}"}}
  - name: cut
    http: {url: ECHO/cut, headers: {X-Plain: "${file:secret}"}}
  - name: body
    http: {url: ECHO/, method: PUT, body: "text ${file:odd}"}
  - name: json
    http: {url: ECHO/, method: PUT, json: {plain: "${file:odd}", list: ["${file:odd}"]}, idempotency_key: "${file:secret}"}
  - name: form
    http: {url: ECHO/, method: PUT, form: {plain: "${file:odd}"}}
  - name: expect-body
    http: {url: ECHO/ok, expect: {body: {contains: "not ${file:odd}", matches: "never${file:secret}"}}}
  - name: expect-header
    http: {url: ECHO/ok, headers: {X-Plain: "${file:odd}"}, expect: {headers: {X-Echo: {contains: "not ${file:odd}"}}}}
  - name: host
    http: {url: "http://${file:address}/"}
  - name: port
    tcp: {address: "${file:address}"}
  - name: certificate
    http: {url: "TLS/", tls: {server_name: "${file:secret}.example.com"}}
  - name: dialogue
    tcp: {address: "HOST", dialogue: [{send: "GET /${file:odd} HTTP/1.0\r\n\r\n"}, {expect: "not${file:secret}"}]}
  - name: many
    targets: [{name: one, key: "${file:secret}"}]
    http: {url: "ECHO/{{target.key}}"}
`

// keepSecrets writes the file and its secrets, and returns its name.
func keepSecrets(t *testing.T) string {
	plain, secure := echo(), httptest.NewTLSServer(nil)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	file := filepath.Join(t.TempDir(), "probes.yaml")
	in := func(name string) string { return filepath.Join(filepath.Dir(file), name) }
	put(t, in("secret"), hidden+"\n")
	put(t, in("odd"), hidden+` /&"<+`)
	put(t, in("address"), closedAddress())
	text := strings.NewReplacer("ECHO", plain.URL, "HOST", strings.TrimPrefix(plain.URL, "http://"), "TLS", secure.URL).Replace(secretFile)
	put(t, file, text)
	return file
}

// betrayed looks for a secret in what is shown.
func betrayed(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range []string{hidden[:5], closedAddress()} {
		if at := strings.Index(strings.ToLower(text), secret); at >= 0 {
			t.Errorf("%s shows a secret: …%s…", where, text[max(0, at-150):min(len(text), at+60)])
		}
	}
}

func TestOnceShowsNoSecret(t *testing.T) {
	t.Parallel()
	file := keepSecrets(t)
	for _, output := range []string{"table", "json", "junit"} {
		s := startCommand(t, "once", "--output", output, file)
		if status := s.wait(); status != statusFailed {
			t.Fatalf("%s: status %d\n%s", output, status, s.err.String())
		}
		if !strings.Contains(s.out.String(), "many.one") {
			t.Errorf("%s shows no results:\n%s", output, s.out.String())
		}
		betrayed(t, "once --output "+output, s.out.String()+s.err.String())
	}
}

func TestRunShowsNoSecret(t *testing.T) {
	t.Parallel()
	file := keepSecrets(t)
	s, url := startRun(t, "--log.level=debug", file)
	for _, name := range []string{"url", "userinfo", "header", "json", "expect-body", "expect-header", "host", "port", "certificate", "dialogue", "many.one"} {
		s.err.await(t, `msg="probe is down" .*probe=`+name+` `)
	}
	for _, path := range []string{"/", "/metrics", "/api/v1/probes", "/config"} {
		_, text := call(t, "GET", url+path)
		betrayed(t, path, text)
	}
	put(t, file, strings.ReplaceAll(readAll(t, file), "http: {url", "http: {method: \"${file:odd}\", url"))
	_, reply := call(t, "POST", url+"/-/reload")
	if !strings.Contains(reply, "reload failed") {
		t.Errorf("a bad file is loaded: %s", reply)
	}
	betrayed(t, "/-/reload", reply)
	betrayed(t, "the log", s.err.String())
}

// TestCheckShowsNoSecret: whatever is wrong with a value that was filled in.
func TestCheckShowsNoSecret(t *testing.T) {
	t.Parallel()
	file := keepSecrets(t)
	const wrong = "${file:odd}"
	put(t, file, strings.ReplaceAll(`
probes:
  - {name: a, http: {url: "WRONG", version: "WRONG", redirects: "WRONG", retryable_status: ["WRONG"], expect: {max_body: "WRONG", body: {matches: "(WRONG"}}}}
  - {name: b, http: {url: "http://x/", method: "WRONG", headers: {A: "x\nWRONG"}, tls: {ca_file: "WRONG"}}}
  - {name: c, http: {url: "https://x/", tls: {cert_file: "${file:secret}", key_file: "${file:secret}"}}}
  - {name: d, http: {url: "http://WRONG/ x", body: "WRONG", json: "WRONG"}}
  - {name: e, tcp: {address: "WRONG"}}
  - {name: f, tcp: {address: "${file:secret}"}}
  - {name: g, tcp: {address: "x:1", tls: {min_version: "WRONG", server_name: "WRONG"}}}
  - {name: "WRONG", interval: "WRONG", group: "WRONG", tcp: {address: "x:1"}}
`, "WRONG", wrong))
	s := startCommand(t, "check", file)
	if status := s.wait(); status != statusFailed {
		t.Errorf("status %d, want %d", status, statusFailed)
	}
	text := s.out.String() + s.err.String()
	if n := strings.Count(text, "\n"); n < 18 {
		t.Errorf("only %d lines:\n%s", n, text)
	}
	betrayed(t, "check", text)
}

func TestExplainShowsNoSecret(t *testing.T) {
	t.Parallel()
	file := keepSecrets(t)
	for flag, want := range map[string]int{"--output=text": statusFailed, "--output=json": statusFailed, "--curl": statusOK} {
		s := startCommand(t, "explain", flag, file, "*")
		if status := s.wait(); status != want {
			t.Fatalf("%s: status %d, want %d\n%s", flag, status, want, s.err)
		}
		if !strings.Contains(s.out.String(), "many.one") {
			t.Errorf("%s tells of nothing:\n%s", flag, s.out)
		}
		betrayed(t, "explain "+flag, s.out.String()+s.err.String())
	}
}

// TestCurlShowsNoLiteralSecret: what stands in the file itself is no less secret.
func TestCurlShowsNoLiteralSecret(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "probes.yaml")
	put(t, filepath.Join(filepath.Dir(file), "half"), "the-other-half")
	put(t, file, strings.NewReplacer("SECRET", hidden, "HALF", hidden+"${file:half}").Replace(`
probes:
  - {name: a, http: {url: "https://SECRET:HALF@x.example.com/?api_key=SECRET&sig=HALF&q=1#SECRET"}}
  - {name: b, http: {url: "https://x.example.com/", headers: {Authorization: "Bearer SECRET", X-Api-Key: "HALF", Cookie: "a=SECRET; HALF; b=HALF"}}}
  - {name: c, http: {url: "https://x.example.com/", headers: {Authorization: "SECRET HALF", Proxy-Authorization: "Basic aHVudGVyMlhxOmh1bnRlcjJYcQ=="}}}
  - {name: d, http: {url: "https://x.example.com/", method: POST, json: {auth: {a: [SECRET, "x HALF"]}, note: SECRET}, idempotency_key: SECRET}}
  - {name: e, http: {url: "https://x.example.com/SECRET?token=SECRET", method: POST, form: {password: [SECRET, "HALF"], a: 1}}}
`))
	s := startCommand(t, "explain", "--curl", file, "?")
	if status := s.wait(); status != statusOK {
		t.Fatalf("status %d\n%s", status, s.err)
	}
	betrayed(t, "explain --curl", s.out.String())
	for _, encoded := range []string{"aHVudGVy", "the-other-half"} {
		if strings.Contains(s.out.String(), encoded) {
			t.Errorf("explain --curl shows %q", encoded)
		}
	}
	if t.Failed() {
		t.Log(s.out.String())
	}
}
