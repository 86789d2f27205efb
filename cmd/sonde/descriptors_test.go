package main

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

func TestDescriptorsAreShared(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		limit, asked int
		want         descriptors
		warned       bool
	}{
		{"few", 20, 0, descriptors{20, 2, 1}, true},
		{"some", 64, 0, descriptors{64, 8, 32}, false},
		{"what Docker gave once", 1024, 0, descriptors{1024, 128, 872}, false},
		{"many", 20_000, 0, descriptors{20_000, 512, 19_464}, false},
		{"no limit that is known", 0, 0, descriptors{0, 512, 0}, false},
		{"fewer than there are", 1024, 100, descriptors{1024, 128, 872}, false},
		{"more than there are", 1024, 5000, descriptors{1024, 128, 872}, true},
	} {
		got := share(tt.limit)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(descriptors{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		var log strings.Builder
		got.log(slog.New(slog.NewTextHandler(&log, nil)), tt.asked)
		if warned := log.Len() > 0; warned != tt.warned {
			t.Errorf("%s: warned is %t, want %t: %s", tt.name, warned, tt.warned, log.String())
		}
	}
}

// A set of which more may run at once than there are descriptors is warned of, whatever is the bound.
func TestMoreProbesThanDescriptors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                              string
		limit, probes, concurrency, asked int
		warned                            bool
	}{
		{"as many", 64, 32, 10_000, 0, false},
		{"one more", 64, 33, 10_000, 0, true},
		{"bounded by --probe.concurrency", 64, 80, 32, 0, false},
		{"bounded by --probe.max-connections", 64, 80, 10_000, 32, false},
		{"bounded by more", 64, 80, 10_000, 33, true},
		{"no limit that is known", 0, 80, 10_000, 0, false},
		{"no probe", 20, 0, 10_000, 0, false},
	} {
		var log strings.Builder
		share(tt.limit).logFor(slog.New(slog.NewTextHandler(&log, nil)), tt.probes, tt.concurrency, tt.asked)
		if warned := strings.Contains(log.String(), "level=WARN"); warned != tt.warned {
			t.Errorf("%s: warned is %t, want %t: %s", tt.name, warned, tt.warned, log.String())
		}
	}
}

// Connections beyond the bound wait until one of those within has ended.
func TestListenersAcceptSoMany(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	bounded := descriptors{web: 2}.limited([]net.Listener{l})[0]
	defer bounded.Close()
	var clients []net.Conn
	for range 3 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		clients = append(clients, c)
	}
	first, err := bounded.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bounded.Accept(); err != nil {
		t.Fatal(err)
	}
	third := make(chan net.Conn)
	go func() {
		c, _ := bounded.Accept()
		third <- c
	}()
	first.Close()
	if c := <-third; c == nil || c.RemoteAddr().String() != clients[2].LocalAddr().String() {
		t.Errorf("the third is %v, want that from %v", c, clients[2].LocalAddr())
	}
}

// Probes that hang must not take the descriptors of those who ask how they are, nor make a target that is well
// look down.
func TestRunAnswersWithFewDescriptors(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct{ limit, hanging, well int }{{20, 26, 1}, {64, 200, 5}} {
		t.Run(fmt.Sprint(tt.limit), func(t *testing.T) {
			t.Parallel()
			p := startUnder(t, exec.Command("sh", "-c", fmt.Sprintf(`ulimit -n %d; exec sonde "$@"`, tt.limit), "sonde", "run",
				"--log.level=debug", "--web.listen-address=127.0.0.1:0", crowd(t, tt.hanging, tt.well)))
			url := strings.TrimSuffix(p.err.await(t, `msg=serving .*url=(\S+)`)[1], "/")
			for i := range tt.well {
				p.err.await(t, fmt.Sprintf("probe=well-%d .*(verdict|reason)=", i))
			}
			p.err.await(t, `level=WARN .*msg="more probes may run at once .*limit=`+fmt.Sprint(tt.limit))
			p.err.await(t, `probe=hangs-\S+ .*reason=limit_total`)
			p.err.await(t, `probe=hangs-\S+ .*reason=local_resource .*queued? for a connection: probes hold \d+ of the \d+ file descriptors of the process's `+fmt.Sprint(tt.limit))
			for _, path := range []string{"/-/ready", "/-/healthy", "/", "/metrics"} {
				answersAtOnce(t, url, path)
			}
			blamesNobody(t, answersAtOnce(t, url, "/metrics"))
			if text := p.err.String(); strings.Contains(text, "too many open files") {
				t.Errorf("descriptors have run out:\n%s", text)
			}
			p.signal(t, sigterm)
			if status := p.wait(t); status != statusOK {
				t.Errorf("exit status %d", status)
			}
		})
	}
}

// crowd writes a file of probes whose targets accept and say nothing, on several ports, and of some that are well.
// Those that are well have all the time that they need, for their targets are as busy as this machine is.
func crowd(t *testing.T, hanging, well int) string {
	t.Helper()
	web := newWeb()
	t.Cleanup(web.Close)
	var silent []string
	for range 10 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() }) // what waits to be accepted is connected, and hears nothing
		silent = append(silent, "http://"+l.Addr().String())
	}
	text := "defaults: {interval: 2s, deadline: none, timeout: {total: 600ms, connect: none, sock_connect: none, sock_read: none}, retry: {attempts: 1}}\nprobes:\n"
	for i := range hanging {
		text += fmt.Sprintf("  - {name: hangs-%d, http: {url: %q}}\n", i, silent[i%len(silent)])
	}
	for i := range well {
		text += fmt.Sprintf("  - {name: well-%d, timeout: {total: 1h}, http: {url: %q}}\n", i, web.URL+"/ok")
	}
	name := filepath.Join(t.TempDir(), "probes.yaml")
	put(t, name, text)
	return name
}

// answersAtOnce asks a running sonde on a connection of its own, and returns what it answers.
func answersAtOnce(t *testing.T, url, path string) string {
	t.Helper()
	c, err := net.DialTimeout("tcp", strings.TrimPrefix(url, "http://"), awaitTimeout)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(awaitTimeout))
	io.WriteString(c, "GET "+path+" HTTP/1.0\r\n\r\n")
	answer, err := io.ReadAll(c)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.0 200") {
		t.Errorf("%s answers %.100q and %v", path, answer, err)
	}
	return string(answer)
}

// blamesNobody holds that targets that are well failed for reasons of ours alone, and that those that hang did
// so by the limit that ended them, or likewise.
func blamesNobody(t *testing.T, metrics string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^sonde_attempt_failures_total{probe="([a-z]+)-\d+",reason="(\w+)"} [1-9]`).FindAllStringSubmatch(metrics, -1) {
		r := probe.Reason(m[2])
		if r.Blame() != probe.Ours && (m[1] == "well" || r != probe.ReasonLimitTotal) {
			t.Errorf("a probe that is to be %q failed for %s", m[1], r)
		}
	}
	if bad := regexp.MustCompile(`sonde_run_failures_total{probe="well-\d+"} [1-9]`).FindString(metrics); bad != "" {
		t.Errorf("a target that is well is down: %s", bad)
	}
}
