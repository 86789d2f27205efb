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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
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
  interval: 10m
  timeout: {total: 4s, connect: 2s, sock_connect: 2s, sock_read: 500ms}
  retry: {attempts: 2, backoff: {base: 10ms, cap: 10ms, jitter: 0s}}
probes:
`

func TestOutsider(t *testing.T) {
	t.Parallel()
	inRounds(t, len(outsiders(t)), tryOutsiders)
}

// tryOutsiders runs some of the outsiders, whose servers are made anew.
func tryOutsiders(t *testing.T, which []int, stretch int) (trials []trial) {
	all := outsiders(t)
	// An upload that no kernel takes whole.
	text := "x-upload: &upload " + strings.Repeat("x", 5<<20) + outsiderDefaults
	for _, i := range which {
		x, at := trial{outsider: all[i]}, closedAddress()
		if x.serve != nil {
			x.seen, at = listenOutside(t, x.serve)
		}
		trials = append(trials, x)
		text += fmt.Sprintf("  - {name: p%d, %s}\n", i, strings.ReplaceAll(x.probe, "<AT>", at))
	}
	got := onceJSON(t, exec.Command("sonde"), stretched(text, stretch))
	if len(got) != len(trials) {
		t.Fatalf("once has %d results, want %d", len(got), len(trials))
	}
	for i := range trials {
		trials[i].got = got[i]
	}
	return trials
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
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("sonde once: %v\n%s", err, &stderr)
	}
	if said := warned.ReplaceAllString(stderr.String(), ""); said != "" {
		t.Errorf("standard error has: %s", said)
	}
	decoder := json.NewDecoder(&stdout)
	decoder.DisallowUnknownFields()
	var got promised
	if bad := decoder.Decode(&got); bad != nil {
		t.Fatalf("reading what once printed, which ended with %v: %v\n%s", err, bad, &stderr)
	}
	if code, want := cmd.ProcessState.ExitCode(), got.status(); code != want {
		t.Errorf("sonde once exits %d, want %d", code, want)
	}
	return got.Results
}

// status is how once has to exit.
func (p *promised) status() int {
	if slices.ContainsFunc(p.Results, func(r promisedResult) bool { return r.Verdict == "down" || r.Verdict == "unknown" }) {
		return statusFailed
	}
	return statusOK
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
				c.SetDeadline(time.Now().Add(time.Hour)) // whatever happens; on a busy machine a limit of seconds may last minutes
				serve(&outside{c.(*net.TCPConn), seen, ctx.Done()})
			})
		}
	})
	return seen, l.Addr().String()
}
