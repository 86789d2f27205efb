package conn_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// TestFloodUnread has a peer ask for answers without end, and read none: our own writes block, and with
// them the HTTP client's giving up. The attempt ends all the same. It is no test for a bubble, where a
// goroutine that waits for a lock holds the time.
func TestFloodUnread(t *testing.T) {
	for _, header := range []bool{false, true} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		gone := make(chan struct{})
		go func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				<-gone
				c.Close()
			}()
			c.(*net.TCPConn).SetReadBuffer(4096)
			io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
			p := newPeer(c, c)
			p.WriteSettings()
			s := p.stream()
			if header {
				p.header(s, false, ":status", "200")
				p.WriteData(s, false, []byte("hello"))
			}
			for p.WritePing(false, [8]byte{}) == nil {
			}
		}()
		n := conn.New(conn.Options{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := new(net.Dialer).DialContext(ctx, network, address)
			return &counted{Conn: c, closed: func() { close(gone) }}, err
		}})
		r := &conn.Route{Address: l.Addr().String(), Version: conn.H2C, Connection: kept}
		got := attempt(t, n, try{route: r, limits: probe.Limits{Total: 2 * time.Second, SockRead: 300 * time.Millisecond}})
		// On a machine that is busy we may have been late as well; and the flood may be too much before it gets stuck.
		limited := got.Reason == probe.ReasonLimitSockRead || got.Reason == probe.ReasonProberLate
		if got.Reason != probe.ReasonProtocolError && (!limited || got.Limit != probe.LimitSockRead) {
			t.Errorf("header %v: got %q after %v: %v", header, got.Reason, got.took, got.Err)
		}
		n.Close()
		select {
		case <-gone:
		default:
			t.Error("the socket is left open")
		}
	}
}

// TestEndlessBody has a body that never ends, on both protocols: total ends it, and little is held.
func TestEndlessBody(t *testing.T) {
	chunk := "10000\r\n" + strings.Repeat("x", 0x10000) + "\r\n"
	inBubbleNamed(t, "HTTP/1", func(w *world) {
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			request(r)
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			for {
				time.Sleep(10 * time.Millisecond)
				if _, err := io.WriteString(c, chunk); err != nil {
					return
				}
			}
		})
		if got := w.get(route()); got.Reason != probe.ReasonLimitTotal || got.took != 30*time.Second || got.Phase != probe.PhaseTransfer {
			w.t.Errorf("got %q after %v", got.Reason, got.took)
		}
	})
	inBubbleNamed(t, "HTTP/2", func(w *world) {
		w.http2Script(func(p *peer) {
			s := p.stream()
			p.header(s, false, ":status", "200")
			go p.rest()
			for p.WriteData(s, false, make([]byte, 1000)) == nil {
				time.Sleep(10 * time.Millisecond)
			}
		})
		if got := w.get(h2cRoute()); got.Reason != probe.ReasonLimitTotal || got.took != 30*time.Second || got.Phase != probe.PhaseTransfer {
			w.t.Errorf("got %q after %v: %v", got.Reason, got.took, got.Err)
		}
	})
}

// TestUnsolicited has a server say more than it was asked, at once and on the idle connection.
func TestUnsolicited(t *testing.T) {
	for name, pause := range map[string]time.Duration{"at once": 0, "later": time.Second} {
		inBubbleNamed(t, name, func(w *world) {
			w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
				request(r)
				io.WriteString(c, ok200)
				time.Sleep(pause)
				io.WriteString(c, ok200)
				io.Copy(io.Discard, r)
			})
			for range 2 {
				if got := w.get(route()); !got.OK || got.Reused || got.text != "hello" {
					w.t.Errorf("got %q, reused %v, %v", got.text, got.Reused, got.Err)
				}
				time.Sleep(2 * time.Second)
			}
		})
	}
}

// TestHeldBack has TLS below: a record that comes in drips is no silence.
func TestHeldBack(t *testing.T) {
	ours := newAuthority(t)
	config := &tls.Config{Certificates: []tls.Certificate{ours.certificate(t, "192.0.2.1", bubbleStart.Add(-time.Hour))}}
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			drip := &dripping{Conn: c}
			s := tls.Server(drip, config)
			request(bufio.NewReader(s))
			drip.pause = 9 * time.Second
			io.WriteString(s, ok200)
			drip.pause = 0
			io.Copy(io.Discard, s)
		})
		r := route()
		r.TLS = &conn.TLS{Config: &tls.Config{RootCAs: ours.pool}, Key: "a"}
		l := standard
		l.Total = 0
		if got := w.try(try{route: r, limits: l}); !got.OK || got.took < time.Minute {
			w.t.Errorf("got %q after %v: %v", got.Reason, got.took, got.Err)
		}
	})
}

// dripping writes in pieces of eight bytes, with a pause before each.
type dripping struct {
	*memnet.Conn
	pause time.Duration
}

func (d *dripping) Write(p []byte) (int, error) {
	for i := 0; i < len(p) && d.pause > 0; i += 8 {
		time.Sleep(d.pause)
		if n, err := d.Conn.Write(p[i:min(i+8, len(p))]); err != nil {
			return i + n, err
		}
	}
	if d.pause > 0 {
		return len(p), nil
	}
	return d.Conn.Write(p)
}

func TestQuiet(t *testing.T) {
	var kept bytes.Buffer
	l := log.New(memnet.Quiet(&kept), "", 0)
	l.Print("protocol error: received *http.http2DataFrame before a SETTINGS frame")
	l.Print("a line of the program's own")
	if got := kept.String(); got != "a line of the program's own\n" {
		t.Errorf("got %q", got)
	}
}

// TestIdleFlood has a peer send pings on an idle connection: it ends with its idle timeout.
func TestIdleFlood(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		closed := make(chan time.Time, 1)
		w.http2Script(func(p *peer) {
			p.answer()
			go func() {
				for {
					if _, err := p.ReadFrame(); err != nil {
						closed <- time.Now()
						return
					}
				}
			}()
			for !p.c.Closed() {
				p.WritePing(false, [8]byte{})
				time.Sleep(100 * time.Millisecond)
			}
		})
		start := time.Now()
		w.get(h2cRoute())
		if at := (<-closed).Sub(start); at != 15*time.Second {
			w.t.Errorf("closed after %v, want 15s", at)
		}
	})
}
