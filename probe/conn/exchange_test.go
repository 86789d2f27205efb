package conn_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// writing counts the writes on a connection.
type writing struct {
	*memnet.Conn
	writes *atomic.Int32
}

func (w *writing) Write(p []byte) (int, error) {
	w.writes.Add(1)
	return w.Conn.Write(p)
}

// TestOneWrite has a request go out in one piece, header and body, as long as it is small.
func TestOneWrite(t *testing.T) {
	var mem *memnet.Net
	var writes atomic.Int32
	inBubble(t, conn.Options{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := mem.Dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &writing{c.(*memnet.Conn), &writes}, nil
	}}, func(w *world) {
		mem = w.mem
		var bodies []int
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			for {
				req, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				text, _ := io.ReadAll(req.Body)
				bodies = append(bodies, len(text))
				io.WriteString(c, ok200)
			}
		})
		for _, row := range []struct {
			method string
			body   int
			one    bool
		}{{"GET", 0, true}, {"POST", 10, true}, {"POST", 15 << 10, true}, {"POST", 100 << 10, false}} {
			writes.Store(0)
			got := w.try(try{route: route(), limits: standard, method: row.method, body: strings.Repeat("x", row.body)})
			if n := writes.Load(); !got.OK || (n == 1) != row.one || bodies[len(bodies)-1] != row.body {
				t.Errorf("%s of %d: %d writes, %d bytes came: %v", row.method, row.body, n, bodies[len(bodies)-1], got.Err)
			}
		}
	})
}

// TestUploads sends bodies that do not fit into one write.
func TestUploads(t *testing.T) {
	const length = 1 << 20
	reads := func(c *memnet.Conn, r *bufio.Reader) {
		if req, err := request(r); err != nil || req.ContentLength == length/2 {
			return
		}
		io.WriteString(c, ok200)
		io.Copy(io.Discard, r)
	}
	answers := func(c *memnet.Conn, _ *bufio.Reader) {
		io.WriteString(c, ok200)
		time.Sleep(time.Minute) // it reads nothing
	}
	broken := errors.New("the disk is gone")
	for _, row := range []struct {
		name   string
		serve  func(c *memnet.Conn, r *bufio.Reader)
		body   io.Reader
		length int64
		reason probe.Reason
		kept   bool
	}{
		{"of a known length", reads, strings.NewReader(strings.Repeat("x", length)), length, "", true},
		{"of an unknown length", reads, strings.NewReader(strings.Repeat("x", length)), -1, "", true},
		{"that is answered at once and never read", answers, strings.NewReader(strings.Repeat("x", length)), length, "", false},
		{"that breaks off", reads, io.MultiReader(strings.NewReader(strings.Repeat("x", 1000)), failing{broken}), length, probe.ReasonDisconnected, false},
		{"that is short", reads, strings.NewReader("x"), 100, probe.ReasonConfig, false},
		{"that is long", reads, strings.NewReader("xyz"), 2, probe.ReasonConfig, false},
	} {
		inBubbleNamed(t, row.name, func(w *world) {
			w.script(address, row.serve)
			c := w.Start(w.t.Context(), standard)
			req := newRequest("POST", address)
			req.Body, req.ContentLength = io.NopCloser(row.body), row.length
			resp, err := c.RoundTrip(route(), req, false)
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
			}
			if a := c.End(err); a.Reason != row.reason {
				w.t.Errorf("got %q: %v", a.Reason, a.Err)
			}
			if got := w.kept(); got != row.kept {
				w.t.Errorf("kept %v, want %v", got, row.kept)
			}
		})
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// kept is true when the next attempt is given a kept connection.
func (w *world) kept() bool {
	ctx, cancel := context.WithCancel(w.t.Context())
	time.AfterFunc(time.Second, cancel)
	return w.try(try{route: route(), limits: standard, ctx: ctx}).Reused
}

// TestAnswerBeforeClose has a server answer, and close, before our request is there: it takes none of it,
// and its answer counts.
func TestAnswerBeforeClose(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, func(c *memnet.Conn, _ *bufio.Reader) {
			io.WriteString(c, "HTTP/1.1 503 Busy\r\nContent-Length: 5\r\n\r\nlater")
		})
		for _, size := range []int{0, 1 << 20} {
			if got := w.try(try{route: route(), limits: standard, method: "POST", body: strings.Repeat("x", size)}); got.status != 503 || got.text != "later" {
				w.t.Errorf("%d bytes: got %d, %q: %v", size, got.status, got.text, got.Err)
			}
		}
	})
}

// TestIdle has something befall a kept connection while nobody uses it: the next attempt makes another when
// it must, and no attempt fails.
func TestIdle(t *testing.T) {
	ours := newAuthority(t)
	config := &tls.Config{Certificates: []tls.Certificate{ours.certificate(t, "192.0.2.1", bubbleStart.Add(-time.Hour))}}
	for _, secure := range []bool{false, true} {
		for _, row := range []struct {
			name string
			do   func(c net.Conn, raw *memnet.Conn)
			kept bool
		}{
			{"nothing", func(net.Conn, *memnet.Conn) {}, true},
			{"FIN", func(_ net.Conn, raw *memnet.Conn) { raw.CloseWrite() }, false},
			{"RST", func(_ net.Conn, raw *memnet.Conn) { raw.Abort() }, false},
			{"close", func(c net.Conn, _ *memnet.Conn) { c.Close() }, false},
			{"bytes", func(c net.Conn, _ *memnet.Conn) { io.WriteString(c, "HTTP/1.1 408 X\r\n\r\n") }, false},
			{"bytes and close", func(c net.Conn, _ *memnet.Conn) { io.WriteString(c, "x"); c.Close() }, false},
			{"nonsense below", func(_ net.Conn, raw *memnet.Conn) { io.WriteString(raw, strings.Repeat("x", 100)) }, false},
		} {
			name := row.name
			if secure {
				name += " in TLS"
			}
			inBubbleNamed(t, name, func(w *world) {
				w.script(address, func(raw *memnet.Conn, r *bufio.Reader) {
					var c net.Conn = raw
					if secure {
						c = tls.Server(raw, config)
						r = bufio.NewReader(c)
					}
					for range 2 {
						if _, err := request(r); err != nil {
							return
						}
						io.WriteString(c, ok200)
						time.Sleep(time.Second)
						row.do(c, raw)
					}
					io.Copy(io.Discard, r)
				})
				r := route()
				if secure {
					r.TLS = &conn.TLS{Config: &tls.Config{RootCAs: ours.pool}, Key: "a"}
				}
				for i := range 2 {
					if got := w.get(r); !got.OK || got.Reused != (row.kept && i > 0) {
						w.t.Errorf("attempt %d: reused %v, %v", i, got.Reused, got.Err)
					}
					time.Sleep(2 * time.Second)
				}
			})
		}
	}
}

// TestDeadKeepsTurn has one connection a host, and it has died: who finds that out makes the next one, and
// who queues meanwhile uses that.
func TestDeadKeepsTurn(t *testing.T) {
	inBubble(t, conn.Options{MaxConnections: 1}, func(w *world) {
		first := true
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			dies := first
			first = false
			for {
				if _, err := request(r); err != nil {
					return
				}
				if !dies {
					time.Sleep(time.Second)
				}
				io.WriteString(c, ok200)
				if dies {
					return
				}
			}
		})
		r := route()
		r.Connection.PerHost = 1
		w.get(r)
		time.Sleep(time.Second)
		done := make(chan tried, 3)
		for range 3 {
			go func() { done <- w.get(r) }()
			synctest.Wait()
		}
		for i := range 3 {
			if got := <-done; !got.OK || got.Reused != (i > 0) || got.took != time.Duration(i+1)*time.Second {
				t.Errorf("at %d: reused %v after %v, %v", i, got.Reused, got.took, got.Err)
			}
		}
	})
}

// TestIdleHoldsNothing holds what kept connections cost: no goroutine.
func TestIdleHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, conn.Options{})
		const conns = 100
		gate := make(chan struct{})
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			request(r)
			<-gate
			io.WriteString(c, ok200)
			request(r)
		})
		before := runtime.NumGoroutine()
		done := make(chan tried)
		for range conns {
			go func() { done <- w.get(route()) }()
		}
		synctest.Wait()
		close(gate)
		for range conns {
			<-done
		}
		synctest.Wait()
		// The servers' are there, and the runtime's come and go.
		if n := runtime.NumGoroutine() - before - conns; n > conns/10 {
			t.Errorf("%d goroutines for %d kept connections, want none", n, conns)
		}
		w.end()
	})
}
