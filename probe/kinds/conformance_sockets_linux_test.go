package kinds_test

import (
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// quick keeps what happens in real time short.
var quick = change(func(s *setup) {
	s.policy.Backoff = retry.Backoff{Base: time.Millisecond, Cap: 2 * time.Millisecond}
})

// socketRows are those of which the kernel is the point. They run on loopback, in real time.
var socketRows = []row{
	{id: "C09 on loopback", play: closedPort,
		tries: "4×connect_refused@connect:N", end: "down connect_refused attempts", waits: "1ms 2ms 2ms", counts: "a4 r3 f1"},
	{id: "C14", play: fullBacklog, with: changes(sockConnect(150*time.Millisecond), attempts(2)),
		tries: "2×limit_sock_connect@connect:N", end: "down limit_sock_connect attempts", waits: "1ms", counts: "a2 r1 f1"},
	{id: "C20 on loopback", version: "1.1 h2c", server: []turn{fin, ok},
		tries: "disconnected@wait:U ok", requests: 2, end: "flaky success", waits: "1ms", counts: "a2 r1 fl1"},
	{id: "C21 on loopback", version: "1.1 h2c", server: []turn{rst}, with: changes(post),
		tries: "4×disconnected@wait:U", requests: 4, end: "down disconnected attempts", waits: "1ms 2ms 2ms", counts: "a4 r3 amb3 f1"},
	{id: "C22 on loopback", server: []turn{rst}, with: changes(post, unsafe(retry.UnsafeBeforeSend)),
		tries: "disconnected@wait:U", requests: 1, end: "down disconnected unsafe_after_send", counts: "a1 f1"},
	{id: "C30 on loopback", version: "1.1 h2c", server: []turn{silent}, with: changes(sockRead(500*time.Millisecond), attempts(2)),
		tries: "2×limit_sock_read@wait:U", requests: 2, end: "down limit_sock_read attempts", waits: "1ms", counts: "a2 r1 f1"},
	{id: "C36", server: []turn{rst.on(atHeader)}, with: changes(method("PUT"), body(letters(8<<20)), attempts(30)),
		tries: "30×disconnected@write:U", requests: 30, end: "down disconnected attempts", waits: strings.TrimSpace("1ms" + strings.Repeat(" 2ms", 28)), counts: "a30 r29 f1"},
	{id: "C36 by FIN", server: []turn{fin.on(atHeader)}, with: changes(method("PUT"), body(letters(8<<20)), attempts(30)),
		tries: "30×disconnected@write:U", requests: 30, end: "down disconnected attempts", waits: strings.TrimSpace("1ms" + strings.Repeat(" 2ms", 28)), counts: "a30 r29 f1"},
	{id: "C37 on loopback", server: []turn{early413}, with: changes(method("PUT"), body(letters(8<<20))),
		tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"},
	{id: "C38 on loopback", version: "1.1 h2c", server: []turn{ok, fin, ok}, prior: 1,
		tries: "stale_connection@wait:U +ok", requests: 2, connections: 2, end: "up success", counts: "a1 t1"},
	{id: "C38 on loopback by RST", version: "1.1 h2c", server: []turn{ok, rst, ok}, prior: 1,
		tries: "stale_connection@wait:U +ok", requests: 2, connections: 2, end: "up success", counts: "a1 t1"},
	{id: "C62 HTTP to a TLS port on loopback", play: toTLSPort,
		tries: "status@transfer:W", end: "down status permanent", counts: "a1 f1"},
	{id: "body cut on loopback", version: "1.1 h2c", server: []turn{half(fin), half(after(20*time.Millisecond, rst)), ok},
		tries: "2×body_truncated@transfer:W ok", requests: 3, end: "flaky success", waits: "1ms 2ms", counts: "a3 r2 fl1"},
	{id: "upload never read on loopback", server: []turn{deaf}, with: changes(method("PUT"), body(letters(16<<20)), attempts(1), total(500*time.Millisecond)),
		tries: "limit_total@write:U", requests: 1, end: "down limit_total attempts", counts: "a1 f1"},
}

func TestConformanceOnSockets(t *testing.T) {
	t.Parallel()
	for _, r := range slices.Concat(socketRows, proxySocketRows, resolverRows()) {
		for _, version := range versions(r.version) {
			r := r
			r.version = version
			t.Run(r.id+"/"+version, func(t *testing.T) {
				t.Parallel()
				r.onSockets(t)
			})
		}
	}
}

// onSockets plays the row on loopback.
func (r *row) onSockets(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.with = append(changes(quick, at(listener.Addr())), r.with...)
	l := newLab(t, r, nil)
	defer l.close()
	l.site(here, r.server...).listen(listener)
	r.judge(l, r.run(l))
	l.laws()
}

// at aims at an address, under a name where the row looks one up.
func at(a net.Addr) change {
	return func(s *setup) {
		s.host = a.String()
	}
}

// closedPort makes the run against a port that nobody listens on. It is taken all the same, so that nobody will.
func closedPort(l *lab, p *probe.Probe) *probe.Result {
	listener := l.sites[here].listener
	listener.Close()
	fd, _ := boundPort(l, listener.Addr().(*net.TCPAddr).Port)
	defer syscall.Close(fd)
	return l.run(p)
}

// boundPort is a socket that has a port, any when it is 0, and does not listen.
func boundPort(l *lab, port int) (fd int, address string) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		l.t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		l.t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		l.t.Fatal(err)
	}
	return fd, fmt.Sprint("127.0.0.1:", name.(*syscall.SockaddrInet4).Port)
}

// fullBacklog makes the run against a port whose queue of connections is full, so that the kernel
// answers no SYN.
func fullBacklog(l *lab, _ *probe.Probe) *probe.Result {
	fd, address := boundPort(l, 0)
	defer syscall.Close(fd)
	if err := syscall.Listen(fd, 0); err != nil {
		l.t.Fatal(err)
	}
	for {
		c, err := net.DialTimeout("tcp", address, time.Second) // a busy machine takes its time to connect
		if err != nil {
			break
		}
		defer c.Close()
	}
	return l.run(l.probe("full", func(s *setup) { s.host = address }))
}

// toTLSPort makes the run, in plain HTTP, against Go's own server of HTTPS.
func toTLSPort(l *lab, _ *probe.Probe) *probe.Result {
	s := httptest.NewUnstartedServer(nil)
	s.Config.ErrorLog = silentLog
	s.StartTLS()
	l.afterwards = s.Close
	l.t.Cleanup(s.Close)
	return l.run(l.probe("tls", at(s.Listener.Addr())))
}

// fewFiles, in the environment, makes the test below run in a process of its own.
const fewFiles = "SONDE_TEST_FEW_FILES"

// TestConformanceWithoutDescriptors uses up the descriptors of a process of its own: the failure is not
// the target's, and the run is unknown.
func TestConformanceWithoutDescriptors(t *testing.T) {
	t.Parallel()
	if os.Getenv(fewFiles) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestConformanceWithoutDescriptors$", "-test.v")
		child.Env = append(os.Environ(), fewFiles+"=1")
		if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "\n--- PASS") {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	r := row{id: "EMFILE", version: "1.1", server: []turn{ok}, play: withoutDescriptors, with: changes(attempts(2)),
		tries: "2×local_resource@connect:N", end: "unknown local_resource attempts", waits: "1ms", counts: "a2 r1 u1"}
	r.onSockets(t)
}

func withoutDescriptors(l *lab, p *probe.Probe) *probe.Result {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		l.t.Fatal(err)
	}
	few := syscall.Rlimit{Cur: 3, Max: before.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		l.t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)
	return l.run(p)
}
