package conn_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"

	"sonde/probe"
	"sonde/probe/conn"
)

// benchServer answers requests on loopback, as cheaply as it can, so that what is measured is the client.
func benchServer(b *testing.B) string { return serveHealthy(b) }

func serveHealthy(t testing.TB) string {
	return serve(t, func(c net.Conn) {
		r := bufio.NewReader(c)
		for {
			line, err := r.ReadSlice('\n')
			if err != nil {
				return
			}
			if len(line) == 2 {
				c.Write([]byte(ok200))
			}
		}
	})
}

// serveSilent takes what is sent, and says nothing.
func serveSilent(t testing.TB) string {
	return serve(t, func(c net.Conn) { io.Copy(io.Discard, c) })
}

// serve has f serve each connection to an address of loopback.
func serve(t testing.TB, f func(c net.Conn)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				f(c)
			}()
		}
	}()
	return l.Addr().String()
}

// BenchmarkAttempt is an attempt beside the bare exchange: kept and fresh connections.
func BenchmarkAttempt(b *testing.B) {
	at := benchServer(b)
	b.Run("reused/bare", func(b *testing.B) { bare(b, at, false) })
	b.Run("reused/conn", func(b *testing.B) { ours(b, at, true) })
	b.Run("fresh/bare", func(b *testing.B) { bare(b, at, true) })
	b.Run("fresh/conn", func(b *testing.B) { ours(b, at, false) })
}

func bare(b *testing.B, at string, close bool) {
	t := &http.Transport{DisableCompression: true, DisableKeepAlives: close}
	defer t.CloseIdleConnections()
	b.ReportAllocs()
	for b.Loop() {
		resp, err := t.RoundTrip(newRequest("GET", at))
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func ours(b *testing.B, at string, reuse bool) {
	n := conn.New(conn.Options{})
	defer n.Close()
	r := &conn.Route{Address: at, Connection: probe.Connection{Reuse: reuse, IdleTimeout: kept.IdleTimeout}}
	b.ReportAllocs()
	for b.Loop() {
		c := n.Start(context.Background(), standard)
		resp, err := c.RoundTrip(r, newRequest("GET", at), false)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		if a := c.End(err); !a.OK {
			b.Fatal(a.Err)
		}
	}
}
