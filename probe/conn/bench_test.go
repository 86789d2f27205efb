package conn_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"sonde/probe"
	"sonde/probe/conn"
)

// benchServer answers requests on loopback, in a process of its own, so that what is measured is the client.
func benchServer(b *testing.B) string {
	c := exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), benchChild+"=1")
	c.Stderr = os.Stderr
	end, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		end.Close()
		c.Wait()
	})
	at, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(at)
}

// benchChild, in the environment, makes a server of this test's binary; it ends with its standard input.
const benchChild = "SONDE_CHILD_SERVER"

func serveBench() {
	l, err := listen(answerHealthy)
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	io.Copy(io.Discard, os.Stdin)
}

func serveHealthy(t testing.TB) string { return serve(t, answerHealthy) }

// answerHealthy answers requests, as cheaply as it can.
func answerHealthy(c net.Conn) {
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
}

// serveSilent takes what is sent, and says nothing.
func serveSilent(t testing.TB) string {
	return serve(t, func(c net.Conn) { io.Copy(io.Discard, c) })
}

// serve has f serve each connection to an address of loopback.
func serve(t testing.TB, f func(c net.Conn)) string {
	l, err := listen(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func listen(f func(c net.Conn)) (net.Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
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
	return l, nil
}

// BenchmarkAttempt is an attempt beside the bare exchange: kept and fresh connections. Beside the time it
// prints the processor's time that this process took.
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
	defer reportCPU(b)()
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
	defer reportCPU(b)()
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
