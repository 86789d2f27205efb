package conn_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"testing"

	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// broken panics when it is read.
type broken struct{}

func (broken) Read([]byte) (int, error) { panic("a bug") }

// A panic in the midst of a round trip, or while a connection is made, leaves nothing behind once the call
// has ended: neither a connection nor the leave to make one, and nobody in progress.
func TestAPanicLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func() (*conn.Route, *http.Request){
		"in the request": func() (*conn.Route, *http.Request) {
			req, _ := http.NewRequest(http.MethodPost, "http://"+address+"/", broken{})
			req.ContentLength = 5
			return route(), req
		},
		"in the handshake": func() (*conn.Route, *http.Request) {
			r := route()
			r.TLS = &conn.TLS{Config: &tls.Config{InsecureSkipVerify: true, Rand: broken{}}}
			return r, newRequest(http.MethodGet, address)
		},
	} {
		inBubbleNamed(t, name, func(w *world) {
			w.script(address, func(c *memnet.Conn, r *bufio.Reader) { io.Copy(io.Discard, r) })
			r, req := make()
			r.Connection.PerHost = 1
			for range 2 {
				panicking(t, w.Start(context.Background(), standard), r, req)
			}
			if calls, open := w.InProgress(); calls != 0 || open != 0 {
				t.Errorf("%d calls are in progress, and %d connections open, want none", calls, open)
			}
		})
	}
}

// panicking makes a round trip that panics, and ends the call as probers do.
func panicking(t *testing.T, c *conn.Call, r *conn.Route, req *http.Request) {
	t.Helper()
	defer func() {
		if v := recover(); v != "a bug" {
			t.Errorf("the round trip panicked with %v, want a bug", v)
		}
	}()
	defer func() { c.End(errors.New("the prober panicked")) }()
	c.RoundTrip(r, req, false)
}
