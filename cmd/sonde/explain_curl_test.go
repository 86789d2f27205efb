package main

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe/kinds"
	"sonde/schema"
)

// recorder is a server that keeps what it is asked, by the first element of the path.
type recorder struct {
	mu    sync.Mutex
	asked map[string][]string
}

// ServeHTTP notes the whole request, and redirects what asks for it.
func (r *recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		body = []byte(err.Error())
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(q.URL.Path, "/"), "/")
	peer := 0
	sni := ""
	if q.TLS != nil {
		peer, sni = len(q.TLS.PeerCertificates), q.TLS.ServerName
	}
	if name == "" {
		name = q.URL.RawQuery
	}
	r.note(name, fmt.Sprintf("%s %s %s host=%s sni=%s certificates=%d\n%v\n%q", q.Method, q.RequestURI, q.Proto, q.Host, sni, peer, keyless(q.Header), body))
	if status, to, ok := strings.Cut(rest, "-to-"); ok {
		w.Header().Set("Location", "/"+name+"/"+to)
		var code int
		fmt.Sscan(status, &code)
		w.WriteHeader(code)
	}
}

func (r *recorder) note(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[name] = append(r.asked[name], text)
}

// keyless is a header with a drawn key replaced, for each command draws its own.
func keyless(h http.Header) http.Header {
	if uuid.MatchString(h.Get("Idempotency-Key")) {
		h.Set("Idempotency-Key", "DRAWN")
	}
	return h
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// take returns what a proxy was asked since the last time, and what was asked below a name.
func (r *recorder) take(name string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer delete(r.asked, name)
	defer delete(r.asked, "CONNECT")
	return append(r.asked["CONNECT"], r.asked[name]...)
}

// curlFile has, in every place of a request, what a shell, a terminal or curl itself might take for
// something else. Its limits are long, for they are curl's as well, which has no mercy on a busy machine.
const curlFile = `
defaults: {interval: 10h, timeout: {total: 1h, connect: 1h, sock_connect: 1h, sock_read: 1h}, retry: {attempts: 1}}
probes:
  - {name: plain, http: {url: "PLAIN/plain"}}
  - {name: root, http: {url: "PLAIN?root"}}
  - {name: odd, http: {url: "PLAIN/odd/a b/../x%2fy[1-3]{a,b}?q=[1]&p='$HOME\u0060id\u0060\"&v=${CURL_PLAIN}"}}
  - {name: head, http: {url: "PLAIN/head", method: HEAD}}
  - {name: options, http: {url: "PLAIN/options", method: OPTIONS}}
  - {name: post, http: {url: "PLAIN/post", method: POST, body: "it's $HOME \u0060id\u0060 \"q\" \\ \nsecond line\n"}}
  - {name: empty, http: {url: "PLAIN/empty", method: POST}}
  - {name: put, http: {url: "PLAIN/put", method: PUT}}
  - {name: delete, http: {url: "PLAIN/delete", method: DELETE, body: "gone"}}
  - {name: get, http: {url: "PLAIN/get", body: "a GET with a body"}}
  - {name: at, http: {url: "PLAIN/at", method: PUT, body: "@/etc/hostname\r\n"}}
  - {name: nul, http: {url: "PLAIN/nul", method: POST, body: "a\0b%s\\n\0${CURL_PLAIN}\0"}}
  - {name: control, http: {url: "PLAIN/control", method: POST, body: "\e[2J\x9b \u202e\r\u0007"}}
  - {name: json, http: {url: "PLAIN/json", method: POST, json: {token: "${CURL_PLAIN}", note: "it's <b>", n: 1.5, list: [true, null]}, idempotency_key: auto}}
  - {name: form, http: {url: "PLAIN/form", method: POST, form: {"a b": ["1&2", "ü"], token: "${CURL_PLAIN}"}}}
  - {name: large, http: {url: "PLAIN/large", method: POST, body: "LARGE"}}
  - {name: headers, http: {url: "PLAIN/headers", headers: {X-Odd: "a 'b' $HOME \\", X-Empty: "", User-Agent: "me/1 (it's)", Accept: text/html, Host: other.example.com, Authorization: "Bearer ${file:secret}", Cookie: "a=${CURL_PLAIN}; b=${cred:one two}"}}}
  - {name: mute, http: {url: "PLAIN/mute", headers: {User-Agent: ""}}}
  - {name: user, http: {url: "USER/user", redirects: none}}
  - {name: closing, connection: {reuse: false}, http: {url: "PLAIN/closing"}}
  - {name: moved, http: {url: "PLAIN/moved/302-to-x", method: POST, body: b}}
  - {name: kept, http: {url: "PLAIN/kept/307-to-x", method: POST, body: b}}
  - {name: seen, http: {url: "PLAIN/seen/303-to-x", method: POST, body: b}}
  - {name: stays, http: {url: "PLAIN/stays/302-to-x", redirects: none, expect: {status: 302}}}
  - {name: secure, http: {url: "TLS/secure", tls: {ca_file: ca.pem}}}
  - {name: old, http: {url: "TLS/old", version: 1.1, tls: {insecure_skip_verify: true, min_version: TLS13}}}
  - {name: two, http: {url: "TLS/two", version: 2, tls: {insecure_skip_verify: true}}}
  - {name: clear, http: {url: "PLAIN/clear", version: h2c, method: POST, body: b}}
  - {name: named, http: {url: "TLS/named?a=1", tls: {ca_file: ca.pem, server_name: example.com}}}
  - {name: client, http: {url: "TLS/client", tls: {ca_file: ca.pem, cert_file: cert.pem, key_file: key.pem}}}
  - {name: blanks, http: {url: "PLAIN/blanks?", headers: {X-Blank: "  ", X-Tab: "\t", X-Around: " a\tb ", Accept: " ", User-Agent: " ", Cookie: " a=${CURL_PLAIN} ", Authorization: " Bearer ${file:secret} "}}}
  - {name: asks, http: {url: "PLAIN/asks?", method: POST}}
  - {name: many, targets: [{name: one, key: "${CURL_PLAIN}"}], http: {url: "PLAIN/many.one", headers: {X-Key: "{{target.key}}"}}}
` + curlURLFile + curlProxyFile

// curlWorld is a folder with the file, and the servers that it leads to.
func curlWorld(t *testing.T) (file string, r *recorder) {
	r = &recorder{asked: map[string][]string{}}
	proxy, secureProxy := curlProxies(t, r)
	plain, secure := httptest.NewUnstartedServer(r), httptest.NewUnstartedServer(r)
	plain.Config.Protocols = new(http.Protocols)
	plain.Config.Protocols.SetHTTP1(true)
	plain.Config.Protocols.SetUnencryptedHTTP2(true)
	secure.EnableHTTP2 = true
	plain.Start()
	t.Cleanup(plain.Close)
	dir := filepath.Dir(tlsFiles(t)) // cert.pem and key.pem
	secure.StartTLS()
	t.Cleanup(secure.Close)
	secure.TLS.ClientAuth = 1 // ask for one, and take any
	in := func(name string) string { return filepath.Join(dir, name) }
	put(t, in("ca.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})))
	put(t, in("secret"), "from a'file\n")
	put(t, in("one two"), "credential\n")
	for name, text := range curlValues {
		put(t, in(name), text)
	}
	t.Setenv("CURL_ORIGIN", plain.URL)
	t.Setenv("CURL_BASE", plain.URL+"/base?a=b&token=hunter2Xqbase")
	file = in("probes.yaml")
	put(t, file, strings.NewReplacer("PAIRPROXY", strings.Replace(proxy, "://", "://${file:pair}@", 1), "HOSTILEPROXY", strings.Replace(proxy, "://", "://${CURL_PLAIN}:${file:hostile}@", 1), "PLAINPROXY", proxy, "TLSPROXY", secureProxy, "PLAINUSER", withUser(proxy), "USERS", strings.Replace(plain.URL, "://", "://${CURL_PLAIN}:${file:hostile}@", 1), "CREDENTIALS", strings.Replace(plain.URL, "://", "://${file:pair}@", 1), "USER", withUser(plain.URL),
		"HOSTPORT", plain.Listener.Addr().String(), "CURL_PLAIN", "CURL_PLAIN",
		"PLAIN", plain.URL, "TLS/", secure.URL+"/", "LARGE", strings.Repeat("x'y ", 1<<15)).Replace(curlFile))
	return file, r
}

// TestCurlSendsWhatSondeSends holds each command against the first attempt of its probe: by sh -n, by what
// the real curl sends, and by what it shows.
func TestCurlSendsWhatSondeSends(t *testing.T) {
	t.Setenv("CURL_PLAIN", "hunter2Xq")
	file, asked := curlWorld(t)
	t.Setenv("CREDENTIALS_DIRECTORY", filepath.Dir(file))
	_, err := exec.LookPath("curl")
	noCurl := err != nil
	for _, p := range loadedFrom(t, file) {
		t.Run(p, func(t *testing.T) {
			s := startCommand(t, "explain", file, p, "--curl")
			if s.wait() != statusOK || s.err.String() != "" {
				t.Fatalf("explain --curl says\n%s%s", s.out, s.err)
			}
			command := s.out.String()
			betrayed(t, "the command", command)
			for _, odd := range []string{"\x1b", "\u009b", "\u202e", "\r", "from a'file", "credential\n", "zebra", "giraffe"} {
				if strings.Contains(command, odd) {
					t.Errorf("the command holds %q:\n%s", odd, command)
				}
			}
			script := filepath.Join(t.TempDir(), "command")
			put(t, script, command)
			if out, err := exec.Command("sh", "-n", script).CombinedOutput(); err != nil {
				t.Fatalf("sh does not read it: %v\n%s\n%s", err, out, command[:min(len(command), 2000)])
			}
			if noCurl {
				t.Skip("there is no curl here")
			}
			if got := asked.take(p); got != nil {
				t.Fatalf("to print the command has sent %q", got)
			}
			ran := startCommand(t, "explain", file, p)
			if ran.wait() != statusOK {
				t.Fatalf("the probe does not pass:\n%s%s", ran.out, ran.err)
			}
			want := asked.take(p)
			if out, err := exec.Command("sh", script).CombinedOutput(); err != nil {
				t.Errorf("curl: %v\n%s", err, out)
			}
			if diff := cmp.Diff(want, asked.take(p)); diff != "" || len(want) == 0 {
				t.Errorf("what is sent (-sonde +curl):\n%s\n%s", diff, command[:min(len(command), 2000)])
			}
		})
	}
}

// loadedFrom is the names of a file's probes.
func loadedFrom(t *testing.T, file string) (names []string) {
	t.Helper()
	set, err := schema.System().Load([]string{file}, kinds.All(nil, "test"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range set.Declared() {
		names = append(names, d.Name)
	}
	return names
}
