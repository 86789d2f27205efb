package conn_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// saying reads a request, says the text, and does what comes after.
func saying(text string, after func(c *memnet.Conn)) func(c *memnet.Conn, r *bufio.Reader) {
	return func(c *memnet.Conn, r *bufio.Reader) {
		request(r)
		io.WriteString(c, text)
		after(c)
		io.Copy(io.Discard, r)
	}
}

func fin(c *memnet.Conn)  { c.CloseWrite() }
func rst(c *memnet.Conn)  { time.Sleep(time.Millisecond); c.Abort() }
func stay(c *memnet.Conn) {}

func TestHTTP1(t *testing.T) {
	endless := strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 30000)
	for _, row := range []struct {
		name     string
		text     string
		after    func(c *memnet.Conn)
		reason   probe.Reason
		phase    probe.Phase
		evidence probe.Evidence
		took     time.Duration
	}{
		{"closes", "", fin, probe.ReasonDisconnected, probe.PhaseWait, probe.Unanswered, 0},
		{"resets", "", rst, probe.ReasonDisconnected, probe.PhaseWait, probe.Unanswered, 0},
		{"is silent", "", stay, probe.ReasonLimitSockRead, probe.PhaseWait, probe.Unanswered, 10 * time.Second},
		{"half a status line, FIN", "HTTP/1.1 2", fin, probe.ReasonHeaderTruncated, probe.PhaseWait, probe.Answered, 0},
		{"half a status line, RST", "HTTP/1.1 2", rst, probe.ReasonHeaderTruncated, probe.PhaseWait, probe.Answered, 0},
		{"half a status line, silence", "HTTP/1.1 2", stay, probe.ReasonLimitSockRead, probe.PhaseWait, probe.Answered, 10 * time.Second},
		{"half a header line, FIN", "HTTP/1.1 200 OK\r\nConte", fin, probe.ReasonHeaderTruncated, probe.PhaseWait, probe.Answered, 0},
		{"SSH", "SSH-2.0-OpenSSH_9.6\r\n", stay, probe.ReasonProtocolError, probe.PhaseWait, probe.Answered, 0},
		{"SSH cut short", "SSH-2.0-Op", fin, probe.ReasonProtocolError, probe.PhaseWait, probe.Answered, 0},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", fin, probe.ReasonProtocolError, probe.PhaseWait, probe.Answered, 0},
		{"a header without end", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 2<<20), stay, probe.ReasonProtocolError, probe.PhaseWait, probe.Answered, 0},
		{"1xx without end", endless, stay, probe.ReasonProtocolError, probe.PhaseWait, probe.Answered, 0},
		{"half a body, FIN", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", fin, probe.ReasonBodyTruncated, probe.PhaseTransfer, probe.Answered, 0},
		{"half a body, RST", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", rst, probe.ReasonBodyTruncated, probe.PhaseTransfer, probe.Answered, 0},
		{"half a body, silence", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", stay, probe.ReasonLimitSockRead, probe.PhaseTransfer, probe.Answered, 10 * time.Second},
		{"half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello", fin, probe.ReasonBodyTruncated, probe.PhaseTransfer, probe.Answered, 0},
		{"chunks without the last", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", fin, probe.ReasonBodyTruncated, probe.PhaseTransfer, probe.Answered, 0},
		{"a bad chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", stay, probe.ReasonBodyCorrupt, probe.PhaseTransfer, probe.Answered, 0},
		{"a chunk of 2^63", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000000000000000\r\nhello", stay, probe.ReasonLimitSockRead, probe.PhaseTransfer, probe.Answered, 10 * time.Second},
		{"closes by length", ok200, fin, "", 0, probe.Answered, 0},
		{"closes without length", "HTTP/1.1 200 OK\r\n\r\nhello", fin, "", 0, probe.Answered, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, conn.Options{}, func(w *world) {
				w.script(address, saying(row.text, row.after))
				got := w.get(route())
				if got.Reason != row.reason || got.Phase != row.phase || got.Evidence != row.evidence {
					t.Errorf("got %q in %v, %v: %v", got.Reason, got.Phase, got.Evidence, got.Err)
				}
				if took := got.took.Round(10 * time.Millisecond); took != row.took {
					t.Errorf("took %v, want %v", took, row.took)
				}
			})
		})
	}
}

func TestBannerBeforeTheRequest(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			io.WriteString(c, "220 mail ESMTP\r\n")
			io.Copy(io.Discard, r)
		})
		if got := w.get(route()); got.Reason != probe.ReasonProtocolError || got.Evidence != probe.Answered {
			t.Errorf("got %q, %v: %v", got.Reason, got.Evidence, got.Err)
		}
	})
}

func TestUnsolicited101(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		closed := make(chan struct{})
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			request(r)
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
			io.Copy(io.Discard, r)
			close(closed)
		})
		if got := w.get(route()); got.status != 101 || !got.OK {
			t.Errorf("got %d, %v", got.status, got.Err)
		}
		<-closed
	})
}

// TestStale keeps six connections, all of which the server then lets die: one failure, and no other
// attempt meets a dead one.
func TestStale(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		var requests atomic.Int32
		gate := make(chan struct{})
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			request(r)
			<-gate
			io.WriteString(c, ok200)
			if _, err := request(r); err == nil {
				requests.Add(1)
			}
		})
		done := make(chan tried)
		for range 6 {
			go func() { done <- w.get(route()) }()
		}
		time.Sleep(time.Second)
		close(gate)
		for range 6 {
			if got := <-done; !got.OK {
				t.Errorf("got %v", got.Err)
			}
		}
		got := w.try(try{route: route(), limits: standard, method: "POST"})
		if got.Reason != probe.ReasonStaleConnection || !got.Stale || got.Evidence != probe.Unanswered || got.Phase != probe.PhaseWait {
			t.Errorf("got %q, stale %v, %v: %v", got.Reason, got.Stale, got.Evidence, got.Err)
		}
		if got := w.get(route()); !got.OK || got.Reused {
			t.Errorf("got %v, reused %v", got.Err, got.Reused)
		}
		if n := requests.Load(); n != 1 {
			t.Errorf("%d requests went to dead connections, want 1", n)
		}
	})
}

// TestIdleIsNoSilence is where a read deadline set before every read fails: the time that a connection
// is idle is not the server's silence.
func TestIdleIsNoSilence(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		first := true
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			for {
				if _, err := request(r); err != nil {
					return
				}
				if !first {
					time.Sleep(5 * time.Second)
				}
				first = false
				io.WriteString(c, ok200)
			}
		})
		w.get(route())
		time.Sleep(9 * time.Second)
		if got := w.get(route()); !got.OK || !got.Reused || got.took != 5*time.Second {
			t.Errorf("got %v after %v, reused %v", got.Err, got.took, got.Reused)
		}
	})
}

func TestDrip(t *testing.T) {
	drip := func(n int) func(c *memnet.Conn, r *bufio.Reader) {
		return func(c *memnet.Conn, r *bufio.Reader) {
			request(r)
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", n)
			for range n {
				time.Sleep(9 * time.Second)
				io.WriteString(c, "x")
			}
		}
	}
	t.Run("passes", func(t *testing.T) {
		inBubble(t, conn.Options{}, func(w *world) {
			w.script(address, drip(5))
			l := standard
			l.Total = 300 * time.Second
			if got := w.try(try{route: route(), limits: l}); !got.OK || got.took != 45*time.Second {
				t.Errorf("got %v after %v", got.Err, got.took)
			}
		})
	})
	t.Run("total", func(t *testing.T) {
		inBubble(t, conn.Options{}, func(w *world) {
			w.script(address, drip(20))
			got := w.get(route())
			if got.Reason != probe.ReasonLimitTotal || got.Phase != probe.PhaseTransfer || got.took != 30*time.Second || got.Limit != probe.LimitTotal {
				t.Errorf("got %q in %v after %v", got.Reason, got.Phase, got.took)
			}
		})
	})
}

func TestUploadStall(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) { time.Sleep(time.Minute) })
		got := w.try(try{route: route(), limits: standard, method: "POST", body: strings.Repeat("x", 8<<20)})
		if got.Reason != probe.ReasonLimitTotal || got.Phase != probe.PhaseWrite || got.took != 30*time.Second || got.Evidence != probe.Unanswered {
			t.Errorf("got %q in %v after %v, %v", got.Reason, got.Phase, got.took, got.Evidence)
		}
	})
}

func TestRunsEnd(t *testing.T) {
	for _, row := range []struct {
		cause  error
		reason probe.Reason
	}{
		{probe.ErrDeadline, probe.ReasonDeadline},
		{probe.ErrBatchDeadline, probe.ReasonDeadline},
		{context.Canceled, probe.ReasonCanceled},
		{io.ErrNoProgress, probe.ReasonCanceled},
	} {
		t.Run(row.cause.Error(), func(t *testing.T) {
			inBubble(t, conn.Options{}, func(w *world) {
				w.script(address, saying("", stay))
				ctx, cancel := context.WithCancelCause(w.t.Context())
				time.AfterFunc(9*time.Second, func() { cancel(row.cause) })
				got := w.try(try{route: route(), limits: standard, ctx: ctx})
				if got.Reason != row.reason || got.took != 9*time.Second || got.Limit != "" || got.Phase != probe.PhaseWait {
					t.Errorf("got %q after %v: %v", got.Reason, got.took, got.Err)
				}
			})
		})
	}
}

func TestDrain(t *testing.T) {
	for _, row := range []struct {
		name   string
		body   string
		reused bool
	}{
		{"short", "HTTP/1.1 503 No\r\nContent-Length: 3000\r\n\r\n" + strings.Repeat("x", 3000), true},
		{"long", "HTTP/1.1 503 No\r\nContent-Length: 1000000\r\n\r\n" + strings.Repeat("x", 1000000), false},
		{"slow", "HTTP/1.1 503 No\r\nContent-Length: 10\r\n\r\nx", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, conn.Options{}, func(w *world) {
				w.script(address, answering(row.body))
				for i := range 3 {
					c := w.Start(w.t.Context(), standard)
					resp, err := c.RoundTrip(route(), newRequest("GET", address), false)
					if err != nil {
						t.Fatal(err)
					}
					start := time.Now()
					resp.Body.Close()
					if took := time.Since(start); took > 50*time.Millisecond {
						t.Errorf("closing took %v", took)
					}
					if a := c.End(nil); !a.OK || a.Reused != (row.reused && i > 0) {
						t.Errorf("got %v, reused %v", a.Err, a.Reused)
					}
				}
			})
		})
	}
}

func TestNoReuse(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		var headers []string
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			req, _ := request(r)
			headers = append(headers, req.Header.Get("Connection"))
			io.WriteString(c, ok200)
			if n, err := io.Copy(io.Discard, r); n > 0 || err != nil {
				t.Errorf("got %d bytes, %v, want the end", n, err)
			}
		})
		r := route()
		r.Connection.Reuse = false
		for range 2 {
			if got := w.get(r); !got.OK || got.Reused {
				t.Errorf("got %v, reused %v", got.Err, got.Reused)
			}
		}
		if fmt.Sprint(headers) != "[close close]" {
			t.Errorf("got %v", headers)
		}
	})
}
