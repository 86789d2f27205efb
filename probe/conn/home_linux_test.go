package conn

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// TestPeerUnread asks the kernel what the other end of a connection has not read.
func TestPeerUnread(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"127.0.0.1:0", "[::1]:0", "[::]:0"} {
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Skip(err) // no IPv6
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		host, _, _ := net.SplitHostPort(strings.Replace(at, "[::]", "127.0.0.1", 1))
		c, err := net.Dial("tcp", net.JoinHostPort(host, port))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		want := func(step string, want bool) {
			t.Helper()
			if got := peerUnread(addrPort(c.LocalAddr()), addrPort(c.RemoteAddr())); got != want {
				t.Errorf("%s, %s: got %v", at, step, got)
			}
		}
		if waits, err := l.(*net.TCPListener).SyscallConn(); err == nil {
			awaitSocket(waits) // the kernel takes its time on a busy machine
		}
		want("nobody has accepted", true)
		peer, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		want("nothing is sent", false)
		io.WriteString(c, "hello")
		awaitReadable(peer)
		want("nobody has read", true)
		io.ReadFull(peer, make([]byte, 4))
		want("part is read", true)
		io.ReadFull(peer, make([]byte, 1))
		want("all is read", false)
		peer.Close()
		want("the peer has closed", false)
	}
}

func TestUnreadAnswer(t *testing.T) {
	t.Parallel()
	for _, answer := range [][]byte{nil, make([]byte, 16), make([]byte, diagAnswer-1), make([]byte, 500)} {
		if unread(answer) {
			t.Errorf("%d bytes that are no answer say that something is unread", len(answer))
		}
	}
}

// notStalled is a deadline so long that no busy machine stalls this process for a fair part of it, and so short that
// what a server has not read by then may be for want of a processor.
const notStalled = 3 * unreadFor / 4

// TestUnreadAtHome has a run's deadline cut an attempt at a server of this machine that reads, or does not, while
// the machine is short of processors, or is not.
func TestUnreadAtHome(t *testing.T) {
	for _, row := range []struct {
		name   string
		reads  bool
		share  float64 // of the time somebody waits for a processor
		reason probe.Reason
	}{
		{"silent on a machine that is well", true, 0, probe.ReasonDeadline},
		{"silent on one that is short of processors", true, 1, probe.ReasonDeadline},
		{"does not read on a machine that is well", false, 0, probe.ReasonDeadline},
		{"does not read on a machine with something to do", false, 0.5, probe.ReasonDeadline},
		{"does not read on one that is short of processors", false, 1, probe.ReasonProberLate},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if row.reads {
				go func() {
					if c, err := l.Accept(); err == nil {
						io.Copy(io.Discard, c)
						c.Close()
					}
				}()
			}
			n, began := New(Options{}), time.Now()
			defer n.Close()
			n.pressure.wait = func() (time.Duration, bool) {
				return time.Duration(row.share * float64(time.Since(began))), true
			}
			at := l.Addr().String()
			p := probe.Probe{Policy: retry.Policy{Attempts: 1, Deadline: notStalled}, Prober: proberFunc(func(ctx context.Context) probe.Attempt {
				c := n.Start(ctx, probe.Limits{})
				nc, err := c.Dial(&Route{Address: at})
				if err == nil {
					io.WriteString(nc, "hello")
					_, err = nc.Read(make([]byte, 1))
				}
				return c.End(err)
			})}
			a := p.Run(t.Context(), &retry.Engine{}, probe.Sinks{}).Last()
			if a.Reason == probe.ReasonProberLate && !strings.Contains(a.Err.Error(), "had not read") && row.reason != a.Reason {
				t.Skipf("the test itself was starved: %v", a.Err)
			}
			if a.Reason != row.reason || a.Late == 0 && row.reason == probe.ReasonProberLate {
				t.Errorf("got %q, late by %v: %v", a.Reason, a.Late, a.Err)
			}
		})
	}
}

// TestUnreadForLong has a server of this machine leave a request unread for longer than any scheduler is the cause.
func TestUnreadForLong(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	n, waited := New(Options{}), time.Duration(0)
	defer n.Close()
	// More than any time that can have gone by, so that the test may be starved itself.
	n.pressure.wait = func() (time.Duration, bool) { waited += time.Hour; return waited, true }
	c := n.Start(t.Context(), probe.Limits{})
	defer c.End(nil)
	if _, err := c.Dial(&Route{Address: l.Addr().String()}); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.unreadAtHome() {
		t.Error("just now: it is not seen that the request is unread")
	}
	c.since -= unreadFor
	if c.unreadAtHome() {
		t.Errorf("after %v: the server is excused", c.now()-c.since)
	}
}

func TestWaitedForCPU(t *testing.T) {
	t.Parallel()
	waited, ok := waitedForCPU()
	if !ok {
		t.Skip("the kernel does not tell")
	}
	if again, _ := waitedForCPU(); waited <= 0 || again < waited {
		t.Errorf("got %v, then %v", waited, again)
	}
}
