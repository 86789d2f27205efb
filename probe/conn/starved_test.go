package conn_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/retry"
)

// The child is this test's binary: a process of its own that can be starved.
const (
	childTargets = "SONDE_CHILD_TARGETS" // a healthy one, and a silent one
	childBusy    = "SONDE_CHILD_BUSY"    // how many goroutines keep its one processor busy
)

// starve starts the child, does what is done to it, and returns what it says of its runs: a line for
// each target and verdict.
func starve(t *testing.T, busy int, do func(c *os.Process)) map[string]int {
	t.Helper()
	healthy, silent := serveHealthy(t), serveSilent(t)
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), childTargets+"="+healthy+","+silent, childBusy+"="+strconv.Itoa(busy))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan() // it has begun
	do(c.Process)
	in.Close() // it may end
	got := map[string]int{}
	for lines.Scan() {
		got[lines.Text()]++
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	t.Log(got)
	return got
}

// TestBusy keeps the process busy with other things, on one processor.
func TestBusy(t *testing.T) {
	checkStarved(t, starve(t, 3, func(*os.Process) {}))
}

// checkStarved wants the healthy target to be up, but for runs that say nothing of it, and the silent
// one to be seen as such in most runs.
func checkStarved(t *testing.T, got map[string]int) {
	t.Helper()
	if got["healthy up "] == 0 {
		t.Error("no run of the healthy target passed")
	}
	down := 0
	for line, n := range got {
		switch {
		case strings.HasPrefix(line, "healthy down"):
			t.Errorf("%d runs: %s", n, line)
		case strings.HasPrefix(line, "silent down"):
			down += n
		case strings.HasPrefix(line, "silent up"):
			t.Errorf("%d runs: %s", n, line)
		}
	}
	if got["healthy up "] < 60 {
		t.Logf("the machine is too busy to tell silence from our own lateness: %v", got)
	} else if down == 0 {
		t.Errorf("the silent target was never down: %v", got)
	}
}

// child makes runs at both targets, all at once and again and again, for a second, and until whoever started it has
// done what is to be done to it.
func child(targets string) {
	healthy, silent, _ := strings.Cut(targets, ",")
	busy, _ := strconv.Atoi(os.Getenv(childBusy))
	if busy > 0 {
		runtime.GOMAXPROCS(1)
		for range busy {
			go func() {
				for n := 0; ; n++ {
					_ = n
				}
			}()
		}
	}
	n := conn.New(conn.Options{})
	var mu sync.Mutex
	var begun, going sync.WaitGroup
	got := map[string]int{}
	end, done := time.Now().Add(time.Second), make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(done)
	}()
	for i := range 40 {
		target, at := "healthy", healthy
		if i%2 == 1 {
			target, at = "silent", silent
		}
		p := starved(n, at, i)
		begun.Add(1)
		going.Go(func() {
			time.Sleep(time.Duration(i) * 5 * time.Millisecond)
			begun.Done()
			for again := true; again; again = time.Now().Before(end) || !isClosed(done) {
				r := p.Run(context.Background(), &retry.Engine{}, probe.Sinks{})
				mu.Lock()
				got[fmt.Sprint(target, " ", r.Verdict, " ", r.Reason)]++
				mu.Unlock()
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	begun.Wait()
	fmt.Println("begun")
	going.Wait()
	for line, n := range maps.All(got) {
		fmt.Print(strings.Repeat(line+"\n", n))
	}
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// starved is a probe with a deadline of 900ms. Every other has a limit instead, and every third makes fresh
// connections.
func starved(n *conn.Network, at string, i int) *probe.Probe {
	r := &conn.Route{Address: at, Connection: kept}
	r.Connection.Reuse = i%3 > 0
	var l probe.Limits
	policy := retry.Policy{Attempts: 1, Deadline: 900 * time.Millisecond}
	if i/2%2 == 1 {
		l.SockRead, policy.Deadline = 150*time.Millisecond, 0
	}
	return &probe.Probe{Prober: proberFunc(func(ctx context.Context) probe.Attempt {
		c := n.Start(ctx, l)
		resp, err := c.RoundTrip(r, newRequest(http.MethodGet, at), false)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
		}
		return c.End(err)
	}), Policy: policy}
}

type proberFunc func(ctx context.Context) probe.Attempt

func (f proberFunc) Probe(ctx context.Context, _ probe.Try) probe.Attempt { return f(ctx) }
