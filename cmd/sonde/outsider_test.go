package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The outsider's servers are written on bare sockets by somebody who has read nothing but section 4 of the design,
// the names that users see; the real program is run against them, and what it prints is compared with that section.

// outsider is one server, the probe of it, and what the design says of it.
type outsider struct {
	name string
	// serve has each connection; nil is a port at which nobody listens.
	serve func(c net.Conn)
	// probe is the probe's block of a kind and what stands beside it, <AT> being the server's address.
	probe string
	want  wanted
	// requests is how many requests the server must have seen, where it counts them.
	requests int
}

// outsiders are all of them.
func outsiders(t *testing.T) []outsider {
	var all []outsider
	for _, part := range [][]outsider{
		connectionOutsiders(t), answerOutsiders(), bodyOutsiders(), http2Outsiders(), redirectOutsiders(), breakOutsiders(),
		retryAfterOutsiders(), tcpOutsiders(),
	} {
		all = append(all, part...)
	}
	return all
}

// outsiderDefaults keep the runs short.
const outsiderDefaults = `
defaults:
  interval: 1m
  timeout: {total: 4s, connect: 2s, sock_connect: 2s, sock_read: 500ms}
  retry: {attempts: 2, backoff: {base: 10ms, cap: 10ms, jitter: 0s}}
probes:
`

func TestOutsider(t *testing.T) {
	t.Parallel()
	all := outsiders(t)
	// An upload that no kernel takes whole.
	text := "x-upload: &upload " + strings.Repeat("x", 5<<20) + outsiderDefaults
	seen := make([]*counter, len(all))
	for i, o := range all {
		at := closedAddress()
		if o.serve != nil {
			seen[i], at = listenOutside(t, o.serve)
		}
		text += fmt.Sprintf("  - {name: p%d, %s}\n", i, strings.ReplaceAll(o.probe, "<AT>", at))
	}
	got := onceJSON(t, exec.Command("sonde"), text)
	if len(got) != len(all) {
		t.Fatalf("once has %d results, want %d", len(got), len(all))
	}
	for i, o := range all {
		t.Run(o.name, func(t *testing.T) { o.judge(t, got[i], seen[i]) })
	}
}

// judge compares a result with what is wanted. A machine so busy that sonde itself says that it was late proves
// nothing.
func (o *outsider) judge(t *testing.T, r promisedResult, seen *counter) {
	for _, a := range r.Attempts {
		if a.Reason == "prober_late" {
			t.Skipf("sonde says that it was late by %v s", a.Late)
		}
	}
	if diff := cmp.Diff(o.want, r.wanted()); diff != "" {
		t.Errorf("(-want +got):\n%s%s", diff, r.Error)
	}
	r.checkPhases(t)
	if n := seen.count(); o.requests > 0 && n != o.requests {
		t.Errorf("the server has seen %d connections or requests, want %d", n, o.requests)
	}
}

// onceJSON runs sonde once over a file with the text, and returns what it says, in the order of the file.
func onceJSON(t *testing.T, cmd *exec.Cmd, text string) []promisedResult {
	t.Helper()
	file := t.TempDir() + "/probes.yaml"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd.Args = append(cmd.Args, "once", "--config.file="+file, "--output=json", "--log.level=error")
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != statusFailed {
		t.Fatalf("sonde once ends with %v, want status %d: some probes are down\n%s", err, statusFailed, &stderr)
	}
	if said := warned.ReplaceAllString(stderr.String(), ""); said != "" {
		t.Errorf("standard error has: %s", said)
	}
	decoder := json.NewDecoder(&stdout)
	decoder.DisallowUnknownFields()
	var got promised
	if err := decoder.Decode(&got); err != nil {
		t.Fatalf("reading what once printed: %v", err)
	}
	return got.Results
}

// warned is what once says of a file with warnings.
var warned = regexp.MustCompile(`(?m)^sonde: \d+ warnings?: see sonde check .*\n`)

// counter counts what a server has seen; nil has seen nothing.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) count() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

// outside is a server's end of a connection, which ends with the test at the latest.
type outside struct {
	*net.TCPConn
	seen *counter
	over <-chan struct{} // closed when the test ends
}

// pause lets some time pass, or all that the test still has.
func (c *outside) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c.over:
	case <-timer.C:
	}
}

// listenOutside serves connections, each on a goroutine of its own, until the test ends.
func listenOutside(t *testing.T, serve func(c net.Conn)) (*counter, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	seen := &counter{}
	ctx, cancel := context.WithCancel(context.Background())
	var going sync.WaitGroup
	t.Cleanup(func() { cancel(); l.Close(); going.Wait() })
	going.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			going.Go(func() {
				defer c.Close()
				defer context.AfterFunc(ctx, func() { c.Close() })()
				c.SetDeadline(time.Now().Add(time.Minute)) // whatever happens
				serve(&outside{c.(*net.TCPConn), seen, ctx.Done()})
			})
		}
	})
	return seen, l.Addr().String()
}
