package conn_test

import (
	"bufio"
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// TestEachAddressIsNamed has two addresses swallow what is sent to them: what is told of each names that one.
func TestEachAddressIsNamed(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.mem.Hosts["host.example"] = []net.IP{net.ParseIP("192.0.2.1"), net.ParseIP("192.0.2.2")}
		dialing(w, func(ctx context.Context, _ string) error { return until(ctx, time.Hour) })
		r := route()
		r.Address = "host.example:80"
		a := w.try(try{route: r, limits: probe.Limits{SockConnect: time.Second}})
		if a.Reason != probe.ReasonLimitSockConnect || len(a.Addresses) != 2 {
			t.Fatalf("got %q, %v", a.Reason, a.Addresses)
		}
		for _, tried := range a.Addresses {
			if want := "limit sock_connect (1s) passed while connecting to " + tried.Address; tried.Err.Error() != want {
				t.Errorf("of %s: got %q, want %q", tried.Address, tried.Err, want)
			}
		}
	})
}

// TestAfterAnInterimAnswer has a peer reset a stream on which it has said 103: that is not before answering.
func TestAfterAnInterimAnswer(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.http2Script(func(p *peer) {
			s := p.stream()
			p.header(s, false, ":status", "103")
			p.WriteRSTStream(s, http2.ErrCodeInternal)
			p.rest()
		})
		const want = "the peer reset the stream before its answer was complete (INTERNAL_ERROR)"
		if a := w.get(h2cRoute()); a.Reason != probe.ReasonH2StreamReset || a.Evidence != probe.Answered || a.Err.Error() != want {
			t.Errorf("got %q, %v: %v", a.Reason, a.Evidence, a.Err)
		}
	})
}

// TestProxyIsNamed has a proxy that passes requests on go without an answer.
func TestProxyIsNamed(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script("192.0.2.9:3128", func(_ *memnet.Conn, r *bufio.Reader) { request(r) })
		r := route()
		r.Proxy = &conn.Proxy{Address: "192.0.2.9:3128", Key: "a"}
		a := w.get(r)
		if a.Reason != probe.ReasonDisconnected || !strings.HasPrefix(a.Err.Error(), "the proxy 192.0.2.9:3128 closed the connection before") {
			t.Errorf("got %q: %v", a.Reason, a.Err)
		}
	})
}
