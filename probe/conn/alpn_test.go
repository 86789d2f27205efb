package conn_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// Two routes that are equal but for what is spoken on them do not decide each other's ALPN, whoever comes first.
func TestALPNIsOfWhatIsSpoken(t *testing.T) {
	ca := newAuthority(t)
	cert := ca.certificate(t, "192.0.2.1", bubbleStart.Add(-time.Hour))
	for name, order := range map[string][]bool{"HTTP first": {false, true, false}, "HTTP last": {true, false, true}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, conn.Options{}, func(w *world) {
				offered := make(chan []string, 1)
				config := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}}
				config.GetConfigForClient = func(h *tls.ClientHelloInfo) (*tls.Config, error) {
					offered <- h.SupportedProtos
					return nil, nil
				}
				w.script(address, func(c *memnet.Conn, _ *bufio.Reader) {
					s := tls.Server(c, config)
					serveOne(s, bufio.NewReader(s))
				})
				plain := func() *conn.Route {
					return &conn.Route{Address: address, TLS: &conn.TLS{Config: &tls.Config{RootCAs: ca.pool}, Key: "a"}}
				}
				defer w.Use(plain()).Release()
				for _, raw := range order {
					r := plain()
					want := []string{"h2", "http/1.1"}
					if raw {
						call := w.Start(context.Background(), standard)
						_, err := call.Dial(r)
						call.End(err)
						want = nil
					} else {
						w.get(r)
					}
					if got := <-offered; !cmp.Equal(got, want) {
						t.Errorf("raw %t offers %q, want %q", raw, got, want)
					}
				}
			})
		})
	}
}
