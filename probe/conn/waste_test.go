package conn_test

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// TestFloodIsNamed has a flood named, on a connection that is then not used any more.
func TestFloodIsNamed(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		connections := 0
		w.http2Script(func(p *peer) {
			if connections++; connections > 1 {
				p.answer()
				p.rest()
				return
			}
			p.stream()
			go io.Copy(io.Discard, p.c)
			pings := frames(func(p *peer) {
				for range 100 {
					ping(p)
				}
			})
			for !p.c.Closed() {
				io.WriteString(p.c, pings)
				time.Sleep(time.Millisecond)
			}
		})
		a := w.get(h2cRoute())
		if a.Reason != probe.ReasonProtocolError || a.Evidence != probe.Unanswered || !strings.Contains(a.Err.Error(), "PING frames") {
			t.Errorf("got %q, %v: %v", a.Reason, a.Evidence, a.Err)
		}
		if a := w.get(h2cRoute()); !a.OK {
			t.Errorf("the next: %q: %v", a.Reason, a.Err)
		}
	})
}

// TestHonestOverhead has peers say much that brings little, as honest ones do: in the course of a day, or beside as
// much that brings something.
func TestHonestOverhead(t *testing.T) {
	inBubbleNamed(t, "pings every second, for a day", func(w *world) {
		w.http2Script(func(p *peer) {
			go func() {
				for range 24 * 60 * 60 {
					time.Sleep(time.Second)
					if p.mu.Lock(); p.WritePing(false, [8]byte{}) != nil {
						p.mu.Unlock()
						return
					}
					p.mu.Unlock()
				}
			}()
			for s := p.stream(); s != 0; s = p.stream() {
				p.header(s, true, ":status", "200")
			}
		})
		r := h2cRoute()
		r.Connection.MaxAge, r.Connection.IdleTimeout = 0, 0
		for i := range 24 * 12 {
			if a := w.get(r); !a.OK || a.Reused != (i > 0) {
				t.Fatalf("after %d times 5m: reused %v, %q: %v", i, a.Reused, a.Reason, a.Err)
			}
			time.Sleep(5 * time.Minute)
		}
	})
	inBubbleNamed(t, "many chunks of a byte", func(w *world) {
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			request(r)
			io.WriteString(c, chunkedHead+strings.Repeat("1\r\na\r\n", 200_000)+"0\r\n\r\n")
		})
		if a := w.get(route()); !a.OK || len(a.text) != 200_000 {
			t.Errorf("%d bytes, %q: %v", len(a.text), a.Reason, a.Err)
		}
	})
	inBubbleNamed(t, "many frames of a byte", func(w *world) {
		w.http2Script(func(p *peer) {
			s := p.stream()
			p.header(s, false, ":status", "200")
			for range 60_000 {
				p.WriteData(s, false, []byte("a"))
			}
			p.WriteData(s, true, nil)
			p.rest()
		})
		if a := w.get(h2cRoute()); !a.OK || len(a.text) != 60_000 {
			t.Errorf("%d bytes, %q: %v", len(a.text), a.Reason, a.Err)
		}
	})
	inBubbleNamed(t, "windows widened when an upload is over", func(w *world) {
		w.http2Script(func(p *peer) {
			p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1})
			p.WriteWindowUpdate(0, 1<<30)
			read := 0
			for f, err := p.ReadFrame(); err == nil; f, err = p.ReadFrame() {
				read += int(f.Header().Length)
				if data, is := f.(*http2.DataFrame); is && data.StreamEnded() {
					break
				}
			}
			for range read / 64 {
				p.WriteWindowUpdate(0, 64)
			}
			p.header(1, true, ":status", "200")
			p.rest()
		})
		if a := w.upload(h2cRoute(), standard); !a.OK {
			t.Errorf("%q: %v", a.Reason, a.Err)
		}
	})
	inBubbleNamed(t, "windows widened for an upload", func(w *world) {
		w.http2Script(func(p *peer) {
			s := p.stream()
			for {
				f, err := p.ReadFrame()
				if err != nil || f.Header().StreamID != s {
					continue
				}
				for range f.Header().Length / 100 {
					p.WriteWindowUpdate(0, 100)
					p.WriteWindowUpdate(s, 100)
				}
				if f.Header().Flags.Has(1) {
					p.header(s, true, ":status", "200")
					p.rest()
					return
				}
			}
		})
		if a := w.upload(h2cRoute(), standard); !a.OK {
			t.Errorf("%q: %v", a.Reason, a.Err)
		}
	})
}
