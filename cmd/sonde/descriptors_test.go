package main

import (
	"io"
	"log/slog"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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
		{"what Docker gave once", 1024, 0, descriptors{1024, 128, 654}, false},
		{"many", 20_000, 0, descriptors{20_000, 512, 14_598}, false},
		{"so many that they need no sharing", plenty, 0, descriptors{plenty, 512, 0}, false},
		{"no limit that is known", 0, 0, descriptors{0, 512, 0}, false},
		{"what was asked for", 1024, 100, descriptors{1024, 128, 100}, false},
		{"more than there is", 1024, 5000, descriptors{1024, 128, 5000}, true},
	} {
		got := share(tt.limit, tt.asked)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(descriptors{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		var log strings.Builder
		got.log(slog.New(slog.NewTextHandler(&log, nil)))
		if warned := log.Len() > 0; warned != tt.warned {
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

// Probes that hang must not take the descriptors of those who ask how they are.
func TestRunAnswersWithFewDescriptors(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	var pairs []string
	for _, name := range strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z") {
		pairs = append(pairs, name+"="+web.URL+"/silent")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	p := startUnder(t, exec.Command("sh", "-c", `ulimit -n 20; exec sonde "$@"`, "sonde", "run", "--web.listen-address=127.0.0.1:0", probesFile(t, pairs...)))
	url := strings.TrimSuffix(p.err.await(t, `msg=serving .*url=(\S+)`)[1], "/")
	<-web.waiting
	p.err.await(t, `reason=pool_timeout|reason=limit_total|verdict=`)
	for _, path := range []string{"/metrics", "/-/healthy", "/"} {
		c, err := net.DialTimeout("tcp", strings.TrimPrefix(url, "http://"), awaitTimeout)
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(awaitTimeout))
		io.WriteString(c, "GET "+path+" HTTP/1.0\r\n\r\n")
		answer, err := io.ReadAll(c)
		c.Close()
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.0 200") {
			t.Errorf("%s answers %.100q and %v", path, answer, err)
		}
	}
	if text := p.err.String(); strings.Contains(text, "too many open files") {
		t.Errorf("descriptors have run out:\n%s", text)
	}
	p.signal(t, sigterm)
	if status := p.wait(t); status != statusOK {
		t.Errorf("exit status %d", status)
	}
}
