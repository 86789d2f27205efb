package conn_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// clogged is a connection that takes no more than some bytes of a write, and says so late after it was closed.
type clogged struct {
	*memnet.Conn
	takes  int
	late   time.Duration
	once   sync.Once
	closed chan struct{}
}

func (c *clogged) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p[:min(c.takes, len(p))])
	if err != nil || n == len(p) {
		return n, err
	}
	<-c.closed
	time.Sleep(c.late)
	return n, net.ErrClosed
}

func (c *clogged) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// TestPartOfARequest has a limit cut a request of which a part has gone out: that is not never_sent, whatever
// the peer makes of a part, and however late it is said what the kernel has taken.
func TestPartOfARequest(t *testing.T) {
	for _, row := range []struct {
		name     string
		body     int
		takes    int
		late     time.Duration
		evidence probe.Evidence
	}{
		{"at once", 10 << 10, 100, 0, probe.Unanswered},
		{"at once, nothing", 10 << 10, 0, 0, probe.NeverSent},
		{"beside", 100 << 10, 100, 0, probe.Unanswered},
		{"beside, told late", 100 << 10, 100, 20 * time.Millisecond, probe.Unanswered},
		{"beside, told too late", 100 << 10, 100, time.Second, probe.Unanswered},
	} {
		var mem *memnet.Net
		dial := func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := mem.Dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &clogged{Conn: c.(*memnet.Conn), takes: row.takes, late: row.late, closed: make(chan struct{})}, nil
		}
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, conn.Options{Dial: dial}, func(w *world) {
				mem = w.mem
				w.script(address, func(_ *memnet.Conn, r *bufio.Reader) { io.Copy(io.Discard, r) })
				got := w.try(try{route: route(), limits: standard, method: "POST", body: strings.Repeat("x", row.body)})
				if got.Evidence != row.evidence || got.Reason != probe.ReasonLimitTotal && got.Reason != probe.ReasonLimitSockRead {
					t.Errorf("got %v, %q in %v: %v", got.Evidence, got.Reason, got.Phase, got.Err)
				}
			})
		})
	}
}
