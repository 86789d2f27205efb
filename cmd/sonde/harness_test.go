package main

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// awaitTimeout bounds a wait for what comes at once or never, on however busy a machine.
const awaitTimeout = 2 * time.Minute

// output takes what a command writes and lets a test wait for a line.
type output struct {
	mu    sync.Mutex
	text  []byte
	wrote chan struct{} // of capacity 1
}

func newOutput() *output { return &output{wrote: make(chan struct{}, 1)} }

// Write keeps the text.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	o.text = append(o.text, p...)
	o.mu.Unlock()
	select {
	case o.wrote <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

// await waits for what the expression finds and returns its groups. One goroutine may wait at a time.
func (o *output) await(t *testing.T, expression string) []string {
	t.Helper()
	re := regexp.MustCompile(expression)
	late := time.After(awaitTimeout)
	for {
		if m := re.FindStringSubmatch(o.String()); m != nil {
			return m
		}
		select {
		case <-o.wrote:
		case <-late:
			text := o.String()
			t.Fatalf("%q does not come in:\n%s", expression, text[max(0, len(text)-4000):])
		}
	}
}

// sonde is a command that runs within the test.
type sonde struct {
	t           *testing.T
	out, err    *output
	interrupt   context.CancelCauseFunc
	status      chan int
	stoppedOnce sync.Once
}

// startCommand runs a command within the test; it is interrupted at the test's end at the latest.
func startCommand(t *testing.T, args ...string) *sonde {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &sonde{t: t, out: newOutput(), err: newOutput(), interrupt: cancel, status: make(chan int, 1)}
	go func() { s.status <- dispatch(ctx, args, s.out, s.err) }()
	t.Cleanup(func() { s.stop() })
	return s
}

// startRun starts run on a port of the system's choice, waits until it serves, and returns its address.
func startRun(t *testing.T, args ...string) (s *sonde, url string) {
	t.Helper()
	s = startCommand(t, append([]string{"run", "--web.listen-address=127.0.0.1:0"}, args...)...)
	return s, strings.TrimSuffix(s.err.await(t, `msg=serving .*url=(\S+)`)[1], "/")
}

// stop interrupts the command as SIGTERM does and returns its exit status.
func (s *sonde) stop() (status int) {
	s.stoppedOnce.Do(func() {
		s.interrupt(interrupted{os.Interrupt})
		status = <-s.status
	})
	return status
}

// wait waits until the command has ended by itself and returns its exit status.
func (s *sonde) wait() (status int) {
	s.stoppedOnce.Do(func() { status = <-s.status })
	return status
}

// call asks a running sonde and returns status and body.
func call(t *testing.T, method, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, b.String()
}

// metric is the value of a series on /metrics; "absent" when there is none.
func metric(t *testing.T, url, series string) string {
	t.Helper()
	_, text := call(t, "GET", url+"/metrics")
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, series+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return "absent"
}

// probesFile writes a file of probes, one for each name=URL, that are due within a second.
func probesFile(t *testing.T, pairs ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "probes.yaml")
	put(t, name, probesText(pairs...))
	return name
}

// probesText is that file. No run of it is cut, neither by a limit nor by its deadline, since how soon a target
// answers depends on how busy the machine is; the file is warned of that.
func probesText(pairs ...string) string {
	var b strings.Builder
	b.WriteString("defaults:\n  interval: 1s\n  deadline: none\n  timeout: {total: 1h, connect: 1h, sock_connect: 1h, sock_read: 1h}\n" +
		"  retry: {attempts: 2, backoff: {base: 1ms, cap: 1ms, jitter: 0s}}\nprobes:\n")
	for _, p := range pairs {
		name, url, _ := strings.Cut(p, "=")
		b.WriteString("  - {name: " + name + ", http: {url: \"" + url + "\"}}\n")
	}
	return b.String()
}

// tlsFiles writes a configuration of exporter-toolkit with a certificate, and returns its name.
func tlsFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	certificate := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "cert.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})))
	put(t, filepath.Join(dir, "key.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	config := filepath.Join(dir, "web.yml")
	put(t, config, "tls_server_config: {cert_file: cert.pem, key_file: key.pem}\n")
	return config
}

// names are the probes that a page or a text speaks of.
func names(text string, candidates ...string) []string {
	return slices.DeleteFunc(candidates, func(n string) bool { return !strings.Contains(text, n) })
}

// readAll is a file's content.
func readAll(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
