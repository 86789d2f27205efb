package conn

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn/memnet"
)

// stuckConn is a connection whose reader does not get on until it is closed.
type stuckConn struct {
	*memnet.Conn
	closed chan struct{}
	once   sync.Once
}

func (s *stuckConn) Read([]byte) (int, error) { <-s.closed; return 0, net.ErrClosed }

func (s *stuckConn) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.Conn.Close()
}

// TestProxyHasAnswered has a proxy's answer to CONNECT lie in the socket while the process is starved: then the
// limit that fires says nothing of the proxy. One that has not answered is not excused.
func TestProxyHasAnswered(t *testing.T) {
	for answer, reason := range map[string]probe.Reason{"HTTP/1.1 200 OK\r\n\r\n": probe.ReasonProberLate, "": probe.ReasonLimitConnect} {
		t.Run(string(reason), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				mem := &memnet.Net{}
				l := mem.Listen("192.0.2.3:3128")
				defer l.Close()
				go func() {
					c, err := l.Accept()
					if err != nil {
						return
					}
					defer c.Close()
					http.ReadRequest(bufio.NewReader(c))
					io.WriteString(c, answer)
					io.Copy(io.Discard, c)
				}()
				n := New(Options{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
					c, err := mem.Dial(ctx, network, address)
					return &stuckConn{Conn: c.(*memnet.Conn), closed: make(chan struct{})}, err
				}})
				defer n.Close()
				c := n.Start(t.Context(), probe.Limits{Connect: time.Second})
				time.AfterFunc(500*time.Millisecond, func() { n.watch.lose(50 * time.Millisecond) })
				_, err := c.Dial(&Route{Address: "192.0.2.1:443", Proxy: &Proxy{Address: "192.0.2.3:3128"}})
				if a := c.End(err); a.Reason != reason || a.Limit != probe.LimitConnect || a.Evidence != probe.NeverSent || a.Phase != probe.PhaseConnect {
					t.Errorf("got %q, limit %q, %s in %s: %v", a.Reason, a.Limit, a.Evidence, a.Phase, a.Err)
				}
			})
		})
	}
}
