package conn_test

import (
	"bufio"
	"bytes"
	"io"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// peer is an HTTP/2 server written frame by frame.
type peer struct {
	*http2.Framer
	c   *memnet.Conn
	mu  sync.Mutex
	enc *hpack.Encoder
	buf bytes.Buffer
}

func newPeer(w io.Writer, r io.Reader) *peer {
	p := &peer{Framer: http2.NewFramer(w, r)}
	p.enc = hpack.NewEncoder(&p.buf)
	return p
}

// http2Script serves each connection to the address with f, after the preface and the settings.
func (w *world) http2Script(f func(p *peer)) {
	w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
		if _, err := io.ReadFull(r, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		p := newPeer(c, r)
		p.c = c
		p.WriteSettings()
		f(p)
	})
}

// stream reads frames until a request has come, and returns its stream; 0 is the end of the connection.
func (p *peer) stream() uint32 {
	for {
		f, err := p.ReadFrame()
		if err != nil {
			return 0
		}
		if h, ok := f.(*http2.HeadersFrame); ok {
			return h.StreamID
		}
	}
}

func (p *peer) header(stream uint32, end bool, fields ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.buf.Reset()
	for i := 0; i < len(fields); i += 2 {
		p.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	p.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: p.buf.Bytes(), EndHeaders: true, EndStream: end})
}

// answer answers the next request with 200 and a body.
func (p *peer) answer() {
	s := p.stream()
	p.header(s, false, ":status", "200")
	p.WriteData(s, true, []byte("hello"))
}

// rest reads until the other end closes.
func (p *peer) rest() {
	for p.stream() != 0 {
	}
}

func h2cRoute() *conn.Route {
	r := route()
	r.Version = conn.H2C
	return r
}

func TestHTTP2(t *testing.T) {
	for _, row := range []struct {
		name     string
		kept     int // requests that are answered before
		serve    func(p *peer)
		reason   probe.Reason
		phase    probe.Phase
		evidence probe.Evidence
		took     time.Duration
	}{
		{"answers", 0, (*peer).answer, "", 0, probe.Answered, 0},
		{"refuses the stream", 0, func(p *peer) { p.WriteRSTStream(p.stream(), http2.ErrCodeRefusedStream) },
			probe.ReasonH2Refused, probe.PhaseWait, probe.Refused, 0},
		{"resets the stream", 0, func(p *peer) { p.WriteRSTStream(p.stream(), http2.ErrCodeInternal) },
			probe.ReasonH2StreamReset, probe.PhaseWait, probe.Unanswered, 0},
		{"says GOAWAY below the stream, gracefully", 0, func(p *peer) { p.stream(); p.WriteGoAway(0, http2.ErrCodeNo, nil) },
			probe.ReasonH2Refused, probe.PhaseWait, probe.Refused, 0},
		{"says GOAWAY below the stream, with an error", 0, func(p *peer) { p.stream(); p.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, nil) },
			probe.ReasonH2Refused, probe.PhaseWait, probe.Refused, 0},
		{"says GOAWAY above the stream and closes", 0, func(p *peer) {
			p.WriteGoAway(p.stream(), http2.ErrCodeNo, nil)
			p.c.CloseWrite()
		}, probe.ReasonH2Goaway, probe.PhaseWait, probe.Unanswered, 0},
		{"says GOAWAY above the stream and answers", 0, func(p *peer) {
			s := p.stream()
			p.WriteGoAway(s, http2.ErrCodeNo, nil)
			p.header(s, true, ":status", "200")
		}, "", 0, probe.Answered, 0},
		{"closes", 0, func(p *peer) { p.stream(); p.c.CloseWrite() },
			probe.ReasonDisconnected, probe.PhaseWait, probe.Unanswered, 0},
		{"resets the connection", 0, func(p *peer) { p.stream(); p.c.Abort() },
			probe.ReasonDisconnected, probe.PhaseWait, probe.Unanswered, 0},
		{"has died meanwhile", 1, func(p *peer) { p.stream(); p.c.CloseWrite() },
			probe.ReasonStaleConnection, probe.PhaseWait, probe.Unanswered, 0},
		{"has said GOAWAY meanwhile", 1, func(p *peer) { s := p.stream(); p.WriteGoAway(s-2, http2.ErrCodeNo, nil); p.c.CloseWrite() },
			probe.ReasonH2Refused, probe.PhaseWait, probe.Refused, 0},
		{"is silent", 0, func(p *peer) { p.stream() },
			probe.ReasonLimitSockRead, probe.PhaseWait, probe.Unanswered, 10 * time.Second},
		{"resets in the body", 0, func(p *peer) {
			s := p.stream()
			p.header(s, false, ":status", "200")
			p.WriteData(s, false, []byte("hel"))
			p.WriteRSTStream(s, http2.ErrCodeInternal)
		}, probe.ReasonBodyTruncated, probe.PhaseTransfer, probe.Answered, 0},
		{"closes in the body", 0, func(p *peer) {
			p.header(p.stream(), false, ":status", "200")
			p.c.CloseWrite()
		}, probe.ReasonBodyTruncated, probe.PhaseTransfer, probe.Answered, 0},
		{"says GOAWAY and closes in the body", 0, func(p *peer) {
			s := p.stream()
			p.header(s, false, ":status", "200")
			p.WriteGoAway(s, http2.ErrCodeNo, nil)
			p.c.CloseWrite()
		}, probe.ReasonBodyTruncated, probe.PhaseTransfer, probe.Answered, 0},
		{"is silent in the body", 0, func(p *peer) {
			s := p.stream()
			p.header(s, false, ":status", "200")
			time.Sleep(9 * time.Second)
			p.WriteData(s, false, []byte("hel"))
		}, probe.ReasonLimitSockRead, probe.PhaseTransfer, probe.Answered, 19 * time.Second},
		{"sends less than it announced", 0, func(p *peer) {
			s := p.stream()
			p.header(s, false, ":status", "200", "content-length", "9")
			p.WriteData(s, true, []byte("hello"))
		}, probe.ReasonBodyTruncated, probe.PhaseTransfer, probe.Answered, 0},
		{"sends more than it announced", 0, func(p *peer) {
			s := p.stream()
			p.header(s, false, ":status", "200", "content-length", "2")
			p.WriteData(s, true, []byte("hello"))
		}, probe.ReasonBodyCorrupt, probe.PhaseTransfer, probe.Answered, 0},
		{"sends no status", 0, func(p *peer) { p.header(p.stream(), true, "a", "b") },
			probe.ReasonProtocolError, probe.PhaseWait, probe.Answered, 0},
		{"sends nothing but 103", 0, func(p *peer) {
			for s := p.stream(); ; {
				if p.header(s, false, ":status", "103", "link", "</a>"); p.c.Closed() {
					return
				}
			}
		}, probe.ReasonProtocolError, probe.PhaseWait, probe.Answered, 0},
		{"sends a header over 1 MiB", 0, func(p *peer) {
			s := p.stream()
			p.WriteHeaders(http2.HeadersFrameParam{StreamID: s})
			for i := 0; i < 500 && !p.c.Closed(); i++ {
				p.buf.Reset()
				p.enc.WriteField(hpack.HeaderField{Name: "a", Value: string(make([]byte, 8000))})
				p.WriteContinuation(s, i == 499, p.buf.Bytes())
			}
		}, probe.ReasonProtocolError, probe.PhaseWait, probe.Answered, 0},
		{"sends data before the header", 0, func(p *peer) { p.WriteData(p.stream(), true, []byte("x")) },
			probe.ReasonProtocolError, probe.PhaseWait, probe.Answered, 0},
		{"floods with pings", 0, func(p *peer) {
			for p.stream(); !p.c.Closed(); {
				p.WritePing(false, [8]byte{})
				time.Sleep(time.Millisecond)
			}
		}, probe.ReasonLimitSockRead, probe.PhaseWait, probe.Unanswered, 10 * time.Second},
		{"floods with settings", 0, func(p *peer) {
			for p.stream(); !p.c.Closed(); {
				p.WriteSettings()
				time.Sleep(time.Millisecond)
			}
		}, probe.ReasonLimitSockRead, probe.PhaseWait, probe.Unanswered, 10 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, conn.Options{}, func(w *world) {
				w.http2Script(func(p *peer) {
					for range row.kept {
						p.answer()
					}
					row.serve(p)
					p.rest()
				})
				for range row.kept {
					if got := w.get(h2cRoute()); !got.OK {
						t.Errorf("got %v", got.Err)
					}
				}
				got := w.get(h2cRoute())
				if got.Reason != row.reason || got.Phase != row.phase || got.Evidence != row.evidence {
					t.Errorf("got %q in %v, %v: %v", got.Reason, got.Phase, got.Evidence, got.Err)
				}
				if got.took != row.took {
					t.Errorf("took %v, want %v", got.took, row.took)
				}
			})
		})
	}
}

// TestTwoStreams has one silent stream and one that talks on the same connection.
func TestTwoStreams(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.http2Script(func(p *peer) {
			silent, talking := p.stream(), p.stream()
			p.header(talking, false, ":status", "200")
			for range 3 {
				time.Sleep(8 * time.Second)
				p.WriteData(talking, false, []byte("x"))
			}
			p.WriteData(talking, true, nil)
			_ = silent
			p.rest()
		})
		done := make(chan tried)
		go func() { done <- w.get(h2cRoute()) }()
		time.Sleep(time.Second)
		second := w.get(h2cRoute())
		first := <-done
		if first.Reason != probe.ReasonLimitSockRead || first.took != 10*time.Second {
			t.Errorf("silent: got %q after %v", first.Reason, first.took)
		}
		if !second.OK || second.took != 24*time.Second || !second.Reused {
			t.Errorf("talking: got %v after %v, reused %v", second.Err, second.took, second.Reused)
		}
	})
}

// What is no HTTP/2 is an answer at once: it need not have waited for the request, and whether the HTTP/2 client
// reads it before it writes the request is chance, which makes no difference to what is told.
func TestHTTP2ToHTTP1(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, func(c *memnet.Conn, _ *bufio.Reader) {
			io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
		})
		for range 200 {
			got := w.get(h2cRoute())
			if got.Reason != probe.ReasonProtocolError || got.Evidence != probe.Answered || got.Phase != probe.PhaseWait {
				t.Fatalf("got %q, %v, %v: %v", got.Reason, got.Evidence, got.Phase, got.Err)
			}
		}
	})
}
