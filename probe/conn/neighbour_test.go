package conn_test

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"sonde/probe"
	"sonde/probe/conn/memnet"
)

// TestStalledNeighbour has one of two requests on an HTTP/2 connection cut by a limit while its own prober does not
// get on. The other one, whose answer is on its way, has nothing to do with it.
func TestStalledNeighbour(t *testing.T) {
	for _, phase := range []string{"header", "body"} {
		inBubbleNamed(t, "waiting for its "+phase, func(w *world) {
			w.http2Script(func(p *peer) {
				p.answer() // opens the connection
				first := p.stream()
				p.header(first, false, ":status", "200")
				second := p.stream()
				if phase == "body" {
					p.header(second, false, ":status", "200")
				}
				time.Sleep(20 * time.Second)
				if phase == "header" {
					p.header(second, false, ":status", "200")
				}
				p.WriteData(second, true, []byte("hello"))
				p.rest()
			})
			r := h2cRoute()
			if a := w.get(r); !a.OK {
				t.Fatalf("%s: %v", a.Reason, a.Err)
			}
			go func() {
				c := w.Start(w.t.Context(), probe.Limits{Total: 5 * time.Second})
				resp, err := c.RoundTrip(r, newRequest("GET", address), false)
				if err == nil {
					time.Sleep(10 * time.Second) // the prober does not get on
					_, err = resp.Body.Read(make([]byte, 1))
				}
				c.End(err)
			}()
			time.Sleep(time.Second)
			a := w.try(try{route: r, limits: probe.Limits{Total: 40 * time.Second}})
			if !a.OK || !a.Reused {
				t.Errorf("reused %v, %s, evidence %v: %v", a.Reused, a.Reason, a.Evidence, a.Err)
			}
		})
	}
}

// TestStuckNeighbour has a connection given up, since its peer has ceased to read, while a request on it waits for
// its answer. That is no answer that makes no sense.
func TestStuckNeighbour(t *testing.T) {
	for kept, reason := range []probe.Reason{probe.ReasonDisconnected, probe.ReasonStaleConnection} {
		inBubbleNamed(t, string(reason), func(w *world) {
			w.http2Script(func(p *peer) {
				for range kept {
					p.answer()
				}
				p.rest()
			})
			for range kept {
				if a := w.get(h2cRoute()); !a.OK {
					t.Fatal(a.Err)
				}
			}
			time.AfterFunc(5*time.Second, w.GiveUpStuck)
			a := w.get(h2cRoute())
			if a.Reason != reason || a.Evidence != probe.Unanswered || !strings.Contains(a.Err.Error(), "ceased to read") {
				t.Errorf("got %q, evidence %v: %v", a.Reason, a.Evidence, a.Err)
			}
		})
	}
}

// TestLeftover has a peer say something between its answer and the next request that crosses that request: it is no
// answer to it, so the kept connection is at fault, and not what it says.
func TestLeftover(t *testing.T) {
	for _, text := range []string{"\r\n", "junk\r\n\r\n", "\x15\x03"} {
		inBubbleNamed(t, strconv.Quote(text), func(w *world) {
			w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
				request(r)
				io.WriteString(c, ok200)
				request(r)
				io.WriteString(c, text)
				io.WriteString(c, ok200)
				c.CloseWrite()
			})
			r := route()
			if a := w.get(r); !a.OK {
				t.Fatal(a.Err)
			}
			a := w.get(r)
			if a.Reason != probe.ReasonStaleConnection || !a.Stale || a.Evidence != probe.Unanswered {
				t.Errorf("got %q, stale %v, evidence %v: %v", a.Reason, a.Stale, a.Evidence, a.Err)
			}
			if !strings.Contains(a.Err.Error(), "is no answer") {
				t.Errorf("got %v", a.Err)
			}
		})
	}
}

// TestLateFrames has the peer answer a request that has been given up, while another is on its way on the same
// connection: what it says late is nobody's answer, and spoils none.
func TestLateFrames(t *testing.T) {
	for name, late := range map[string]func(p *peer, stream uint32){
		"answer": func(p *peer, s uint32) { p.header(s, false, ":status", "200"); p.WriteData(s, true, []byte("late")) },
		"header": func(p *peer, s uint32) { p.header(s, true, ":status", "200") },
		"hint":   func(p *peer, s uint32) { p.header(s, false, ":status", "103") },
		"data":   func(p *peer, s uint32) { p.WriteData(s, true, []byte("late")) },
		"reset":  func(p *peer, s uint32) { p.WriteRSTStream(s, http2.ErrCodeCancel) },
		"window": func(p *peer, s uint32) { p.WriteWindowUpdate(s, 100) },
		"goaway": func(p *peer, s uint32) { p.WriteGoAway(s+2, http2.ErrCodeNo, nil) },
		"much of these": func(p *peer, s uint32) {
			p.header(s, false, ":status", "200")
			for range 100 {
				p.WriteData(s, false, make([]byte, 600))
			}
			p.WriteData(s, true, nil)
			p.WriteRSTStream(s, http2.ErrCodeNo)
		},
	} {
		inBubbleNamed(t, name, func(w *world) {
			w.http2Script(func(p *peer) {
				p.answer()
				givenUp := p.stream()
				p.WritePing(false, [8]byte{}) // so that the connection is no black hole
				waits := p.stream()
				late(p, givenUp)
				p.header(waits, false, ":status", "200")
				p.WriteData(waits, true, []byte("hello"))
				p.rest()
			})
			r := h2cRoute()
			w.get(r)
			if a := w.try(try{route: r, limits: probe.Limits{Total: time.Second}}); a.Reason != probe.ReasonLimitTotal {
				t.Fatalf("the request that is given up: got %q: %v", a.Reason, a.Err)
			}
			if a := w.get(r); !a.OK || !a.Reused || a.text != "hello" {
				t.Errorf("the next: reused %v, got %q: %v", a.Reused, a.Reason, a.Err)
			}
		})
	}
}
