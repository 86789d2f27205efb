package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is a program that the test has started.
type process struct {
	cmd   *exec.Cmd
	ended chan error
}

// start starts a program, and stops it when the test ends.
func start(t *testing.T, name string, args ...string) *process {
	t.Helper()
	return startTo(t, t.Output(), name, args...)
}

// startTo is start of a program that writes to out.
func startTo(t *testing.T, out io.Writer, name string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting %s: %v", name, err)
	}
	p := &process{cmd: cmd, ended: make(chan error, 1)}
	go func() { p.ended <- cmd.Wait() }()
	t.Cleanup(func() { p.stop(t) })
	return p
}

// stop asks the program to end, by its process id, and returns its exit status.
func (p *process) stop(t *testing.T) int {
	t.Helper()
	if p.cmd.ProcessState != nil {
		return p.cmd.ProcessState.ExitCode()
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(awaitTimeout):
		p.cmd.Process.Kill()
		<-p.ended
		t.Errorf("%s did not end within %v of SIGTERM", p.cmd.Path, awaitTimeout)
	}
	return p.cmd.ProcessState.ExitCode()
}

// eventually asks until the answer is empty, which means that all is as wanted. It gives up after a while.
func eventually(t *testing.T, what string, ask func() string) {
	t.Helper()
	if amiss := wait(t, ask); amiss != "" {
		t.Fatalf("%s: after %v still %s", what, awaitTimeout, amiss)
	}
}

// wait asks until the answer is empty, and returns what is amiss after a while.
func wait(t *testing.T, ask func() string) (amiss string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), awaitTimeout)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if amiss = ask(); amiss == "" {
			return ""
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return amiss
		}
	}
}

// answers is what eventually asks of a server that has just been started.
func answers(url string) func() string {
	return func() string {
		resp, err := http.Get(url)
		if err != nil {
			return err.Error()
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return resp.Status
		}
		return ""
	}
}

// freeAddresses are addresses of loopback at which nothing listens.
func freeAddresses(t *testing.T, n int) []string {
	t.Helper()
	var all []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all = append(all, l.Addr().String())
	}
	return all
}

// nginx is a running nginx and the addresses that it has.
type nginx struct{ replacer *strings.Replacer }

// fill puts nginx's addresses into a text.
func (n *nginx) fill(text string) string { return n.replacer.Replace(text) }

const nginxConf = `
daemon off;
master_process off;
pid DIR/nginx.pid;
error_log DIR/error.log;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000;
  client_body_temp_path DIR/body;
  proxy_temp_path DIR/proxy;
  fastcgi_temp_path DIR/fastcgi;
  uwsgi_temp_path DIR/uwsgi;
  scgi_temp_path DIR/scgi;
  # Each in turn: the first request fails, the second passes, and so on.
  upstream in_turn { server BAD max_fails=0; server GOOD max_fails=0; }
  server { listen BAD; return 503 "no\n"; }
  server { listen GOOD; return 200 "yes\n"; }
  server {
    listen PLAIN;
    location /ok { return 200 "fine\n"; }
    location /moved { return 301 http://PLAIN/ok; }
    location /missing { return 404 "no such page\n"; }
    location /broken { return 503 "out of order\n"; }
    location /busy { add_header Retry-After 7 always; return 429 "too many\n"; }
    location /cut { return 444; }
    location /flaky { proxy_pass http://in_turn; proxy_next_upstream off; }
    location /slow { root DIR; limit_rate 20k; output_buffers 1 2k; } # and /slower
    location /stall { proxy_pass http://HOLE; proxy_read_timeout 60s; }
  }
  server {
    listen SECURE ssl http2;
    ssl_certificate DIR/cert.pem;
    ssl_certificate_key DIR/key.pem;
    location /ok { return 200 "fine\n"; }
  }
}
`

// startNginx starts nginx and waits until it answers.
func startNginx(t *testing.T) *nginx {
	t.Helper()
	dir := t.TempDir()
	free := freeAddresses(t, 5)
	hole, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hole.Close() })
	n := &nginx{strings.NewReplacer(
		"PLAIN", free[0], "SECURE", free[1], "BAD", free[2], "GOOD", free[3], "CLOSED", free[4],
		"HOLE", hole.Addr().String(), "DIR", dir, "CA", filepath.Join(dir, "cert.pem"),
	)}
	writeCertificate(t, dir)
	files := map[string]string{"nginx.conf": n.fill(nginxConf), "slow": strings.Repeat("slow\n", 4_000), "slower": strings.Repeat("slow\n", 800_000)}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	start(t, "nginx", "-p", dir, "-e", filepath.Join(dir, "error.log"), "-c", filepath.Join(dir, "nginx.conf"))
	eventually(t, "nginx", answers(n.fill("http://PLAIN/ok")))
	return n
}

// writeCertificate makes a certificate for 127.0.0.1 that is its own authority.
func writeCertificate(t *testing.T, dir string) {
	t.Helper()
	c, err := demoCertificate("sonde.test", time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalECPrivateKey(c.PrivateKey.(*ecdsa.PrivateKey))
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: c.Certificate[0]},
		"key.pem":  {Type: "EC PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
