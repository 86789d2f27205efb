package conn_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// The tests below have a peer do something while our request is going out. Which of our goroutines is the first to
// notice is chance, and makes no difference to what is told.

// outcome is what is told of a failure.
type outcome struct {
	reason   probe.Reason
	phase    probe.Phase
	evidence probe.Evidence
}

func (a tried) outcome() outcome { return outcome{a.Reason, a.Phase, a.Evidence} }

// often makes the same attempt so many times, each on a connection of its own, and holds what is told against want.
func (w *world) often(times int, x try, want ...outcome) {
	w.t.Helper()
	x.fresh, x.limits = true, standard
	told := map[outcome]int{}
	for range times {
		told[w.try(x).outcome()]++
	}
	for _, o := range want {
		delete(told, o)
	}
	if len(told) > 0 {
		w.t.Errorf("of %d attempts some were told as %v, want %v", times, told, want)
	}
}

// TestHTTP2PeerSpeaksFirst has an HTTP/2 peer speak of a request while it comes, or before.
func TestHTTP2PeerSpeaksFirst(t *testing.T) {
	refused := outcome{probe.ReasonH2Refused, probe.PhaseWait, probe.Refused}
	wasReset := outcome{probe.ReasonH2StreamReset, probe.PhaseWait, probe.Unanswered}
	nonsense := outcome{probe.ReasonProtocolError, probe.PhaseWait, probe.Answered}
	// unsent is a connection that has ended before a request went out, which is no matter of who notices.
	unsent := outcome{probe.ReasonDisconnected, probe.PhaseWrite, probe.NeverSent}
	fin := func(p *peer) { p.c.CloseWrite() }
	for _, row := range []struct {
		name  string
		serve func(p *peer)
		body  int
		want  []outcome
	}{
		{"GOAWAY at once", func(p *peer) { p.WriteGoAway(0, http2.ErrCodeNo, nil) }, 0, []outcome{refused}},
		{"GOAWAY at once, then the end", func(p *peer) { p.WriteGoAway(0, http2.ErrCodeNo, nil); fin(p) }, 0, []outcome{refused}},
		{"REFUSED_STREAM at the header of an upload", func(p *peer) { p.WriteRSTStream(p.stream(), http2.ErrCodeRefusedStream) }, 10_000, []outcome{refused}},
		{"a reset at the header of an upload", func(p *peer) { p.WriteRSTStream(p.stream(), http2.ErrCodeInternal) }, 10_000, []outcome{wasReset}},
		{"GOAWAY at the header of an upload", func(p *peer) { p.stream(); p.WriteGoAway(0, http2.ErrCodeNo, nil) }, 10_000, []outcome{refused}},
		{"a body without a header, then the end", func(p *peer) { p.WriteData(p.stream(), true, []byte("x")); fin(p) }, 0, []outcome{nonsense}},
		{"half an answer before the request", func(p *peer) { p.header(1, false, ":status", "200"); time.Sleep(time.Second); fin(p) }, 0,
			[]outcome{{probe.ReasonBodyTruncated, probe.PhaseTransfer, probe.Answered}, {probe.ReasonDisconnected, probe.PhaseWait, probe.Unanswered}}},
		{"half an answer before the request, then the end", func(p *peer) { p.header(1, false, ":status", "200"); fin(p) }, 0,
			[]outcome{{probe.ReasonBodyTruncated, probe.PhaseTransfer, probe.Answered}, {probe.ReasonDisconnected, probe.PhaseWait, probe.Unanswered}, unsent}},
	} {
		inBubbleNamed(t, row.name, func(w *world) {
			w.http2Script(func(p *peer) {
				row.serve(p)
				p.rest()
			})
			w.often(200, try{route: h2cRoute(), method: "PUT", body: strings.Repeat("x", row.body)}, row.want...)
		})
	}
}

// TestClientCertificateWanted has a server of TLS 1.3 want a certificate, of which we hear when the request has gone
// out, or may have: it has not looked at it.
func TestClientCertificateWanted(t *testing.T) {
	ca := newAuthority(t)
	config := &tls.Config{
		Certificates: []tls.Certificate{ca.certificate(t, "192.0.2.1", bubbleStart.Add(-time.Hour))},
		ClientAuth:   tls.RequireAnyClientCert, NextProtos: []string{"h2", "http/1.1"},
	}
	for _, version := range []conn.Version{conn.V1, conn.V2} {
		for _, body := range []int{0, 100_000} {
			inBubbleNamed(t, fmt.Sprintf("%s, %d bytes", version, body), func(w *world) {
				w.script(address, func(c *memnet.Conn, _ *bufio.Reader) {
					tls.Server(c, config).Handshake()
					c.CloseWrite()
					io.Copy(io.Discard, c)
				})
				r := route()
				r.Version, r.TLS = version, &conn.TLS{Config: &tls.Config{RootCAs: ca.pool}, Key: "a"}
				w.often(50, try{route: r, method: "POST", body: strings.Repeat("x", body)}, outcome{probe.ReasonTLSAlert, probe.PhaseWait, probe.Unanswered})
			})
		}
	}
}

// TestAnswerOnADeadConnection has an HTTP/2 connection take no more of an upload, or nothing at all, while what the
// peer has said is still to come.
func TestAnswerOnADeadConnection(t *testing.T) {
	for name, takes := range map[string]int{"nothing": 0, "the preface": 1, "some of the upload": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inDyingBubble(t, takes, func(w *world) {
				w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
					p := newPeer(c, r)
					p.WriteSettings()
					time.Sleep(time.Millisecond)
					p.header(1, true, ":status", "413")
					time.Sleep(time.Millisecond)
				})
				for range 20 {
					got := w.try(try{route: h2cRoute(), limits: standard, method: "PUT", body: strings.Repeat("x", 60_000), fresh: true})
					if got.status != 413 {
						w.t.Errorf("got %q in %v, %v: %v, want status 413", got.Reason, got.Phase, got.Evidence, got.Err)
					}
				}
			})
		})
	}
}

// inDyingBubble is a world in a bubble whose connections take so many writes.
func inDyingBubble(t *testing.T, takes int, f func(w *world)) {
	var mem *memnet.Net
	bubble(t, conn.Options{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := mem.Dial(ctx, network, address)
		return &dying{Conn: c, takes: takes}, err
	}}, func(w *world) {
		mem = w.mem
		f(w)
	})
}

// dying is a connection that takes so many writes, and no more, as one does that the peer has reset.
type dying struct {
	net.Conn
	takes int
}

func (c *dying) Write(p []byte) (int, error) {
	if c.takes == 0 {
		return 0, syscall.EPIPE
	}
	c.takes--
	return c.Conn.Write(p)
}

// TestDeadConnectionIsGivenUp has an HTTP/2 connection take nothing, and its peer say nothing for ever.
func TestDeadConnectionIsGivenUp(t *testing.T) {
	t.Parallel()
	inDyingBubble(t, 1, func(w *world) {
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) { io.Copy(io.Discard, r) })
		got := w.get(h2cRoute())
		want := outcome{probe.ReasonDisconnected, probe.PhaseWrite, probe.NeverSent}
		if got.outcome() != want || got.took != 50*time.Millisecond {
			w.t.Errorf("got %v after %v, want %v after 50ms: %v", got.outcome(), got.took, want, got.Err)
		}
	})
}

// TestProxyThatAnswersUnasked has a proxy answer before it is asked for a way, and take nothing; or answer nothing.
func TestProxyThatAnswersUnasked(t *testing.T) {
	for text, reason := range map[string]probe.Reason{"HTTP/1.1 503 X\r\n\r\n": probe.ReasonProxyStatus, "": probe.ReasonProxyConnect} {
		t.Run(string(reason), func(t *testing.T) {
			t.Parallel()
			inDyingBubble(t, 0, func(w *world) {
				w.script(proxyAddress, func(c *memnet.Conn, _ *bufio.Reader) { io.WriteString(c, text) })
				call := w.Start(w.t.Context(), standard)
				_, err := call.Dial(throughProxy())
				if a := call.End(err); a.Reason != reason || a.Evidence != probe.NeverSent {
					w.t.Errorf("got %q, %v: %v, want %q", a.Reason, a.Evidence, a.Err, reason)
				}
			})
		})
	}
}
