package conn_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"sonde/probe"
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

// ill panics when it is asked what it is.
type ill struct{ error }

func (ill) As(any) bool { panic("a bug") }

// once is a connection that panics when it is read more than once.
type once struct {
	net.Conn
	read bool
}

func (o *once) Read(p []byte) (int, error) {
	if o.read {
		panic("a bug")
	}
	o.read = true
	return o.Conn.Read(p)
}

// inBrittleBubble runs f in a world whose first connection can be read once.
func inBrittleBubble(t *testing.T, name string, f func(w *world)) {
	var mem *memnet.Net
	dialled := false
	dial := func(ctx context.Context, network, to string) (net.Conn, error) {
		c, err := mem.Dial(ctx, network, to)
		if err == nil && !dialled {
			c, dialled = &once{Conn: c}, true
		}
		return c, err
	}
	t.Run(name, func(t *testing.T) {
		inBubble(t, conn.Options{Dial: dial}, func(w *world) {
			mem = w.mem
			f(w)
		})
	})
}

// An end that panics itself, over the error or over the rest of a body, leaves nothing behind either, and one more
// takes nothing from the call that began meanwhile: its limit fires, and it is in progress until it ends.
func TestAnEndThatPanicsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]error{"over the error": ill{io.ErrUnexpectedEOF}, "over the body": nil} {
		inBrittleBubble(t, name, func(w *world) {
			w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
				request(r)
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
				io.Copy(io.Discard, r)
			})
			first := w.Start(context.Background(), standard)
			if _, err := first.RoundTrip(single(), newRequest(http.MethodGet, address), false); err != nil {
				w.t.Fatal(err)
			}
			ending(w.t, first, with)
			if calls, open := w.InProgress(); calls != 0 || open != 0 {
				w.t.Errorf("%d calls are in progress, and %d connections open, want none", calls, open)
			}
			w.endsByItself(first)
		})
	}
}

// single is a route to a host that may have one connection.
func single() *conn.Route {
	r := route()
	r.Connection.PerHost = 1
	return r
}

// endsByItself has a silent target asked, while a call that has ended is ended once more.
func (w *world) endsByItself(other *conn.Call) {
	w.t.Helper()
	c := w.Start(context.Background(), probe.Limits{Total: time.Second})
	resp, err := c.RoundTrip(single(), newRequest(http.MethodGet, address), false)
	if a := other.End(nil); a.OK {
		w.t.Error("one more end has passed the attempt")
	}
	if calls, _ := w.InProgress(); calls != 1 {
		w.t.Errorf("%d calls are in progress, want 1", calls)
	}
	if err == nil {
		_, err = resp.Body.Read(make([]byte, 1))
	}
	if a := c.End(err); a.Reason != probe.ReasonLimitTotal {
		w.t.Errorf("the next attempt ended for %q: %v, want %s", a.Reason, a.Err, probe.ReasonLimitTotal)
	}
}

// ending ends a call, which panics.
func ending(t *testing.T, c *conn.Call, with error) {
	t.Helper()
	defer func() {
		if v := recover(); v != "a bug" {
			t.Errorf("the end panicked with %v, want a bug", v)
		}
	}()
	c.End(with)
}
