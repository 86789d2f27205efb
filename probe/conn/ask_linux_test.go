package conn

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sonde/probe"
)

const hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

// serving is a server of one connection after the other: each request is read and answered, and then after is done
// with its connection.
func serving(t *testing.T, after func(c net.Conn)) *Route {
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
				r := bufio.NewReader(c)
				for {
					req, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					io.Copy(io.Discard, req.Body)
					io.WriteString(c, hello)
					after(c)
				}
			}()
		}
	}()
	return &Route{Address: l.Addr().String(), Connection: probe.Connection{Reuse: true, IdleTimeout: time.Minute}}
}

// asked is an attempt of one exchange.
func asked(t *testing.T, n *Network, r *Route, header http.Header) probe.Attempt {
	t.Helper()
	c := n.Start(t.Context(), probe.Limits{Total: 30 * time.Second, SockRead: 30 * time.Second})
	resp, err := c.RoundTrip(r, &http.Request{Method: "GET", URL: &url.URL{Scheme: "http", Host: r.Address, Path: "/"}, Header: header}, false)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	return c.End(err)
}

// TestAsk keeps a connection, on which something befalls it or nothing, and asks again.
func TestAsk(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		after  func(c net.Conn)
		header http.Header
		stirs  bool
	}{
		{"nothing", func(net.Conn) {}, nil, false},
		{"a request of many writes", func(net.Conn) {}, http.Header{"A": {strings.Repeat("a", 200<<10)}}, false},
		{"FIN", func(c net.Conn) { c.(*net.TCPConn).CloseWrite() }, nil, true},
		{"FIN before a request of many writes", func(c net.Conn) { c.(*net.TCPConn).CloseWrite() }, http.Header{"A": {strings.Repeat("a", 200<<10)}}, true},
		{"RST", func(c net.Conn) { c.(*net.TCPConn).SetLinger(0); c.Close() }, nil, true},
		{"unasked", func(c net.Conn) { io.WriteString(c, "HTTP/1.1 408 Request Timeout\r\n\r\n") }, nil, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			n := New(Options{})
			defer n.Close()
			r := serving(t, row.after)
			for i := range 3 {
				a := asked(t, n, r, row.header)
				if want := i > 0 && !row.stirs; !a.OK || a.Reused != want {
					t.Fatalf("attempt %d: got %v, reused %v, want reused %v", i+1, a.Err, a.Reused, want)
				}
				if row.stirs {
					awaitStir(n)
				}
			}
		})
	}
}

// awaitStir waits until what befell the network's connection has come to us.
func awaitStir(n *Network) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for l := range n.links {
		awaitReadable(l.socket)
	}
}

func awaitReadable(c net.Conn) { awaitSocket(socketOf(c)) }

func awaitSocket(s syscall.RawConn) {
	s.Control(func(fd uintptr) {
		for {
			if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 30_000); err != unix.EINTR {
				return
			}
		}
	})
}

// TestAskWaitsForNoLock has the call locked while it asks, as when it is being cut: it tells of the request later.
func TestAskWaitsForNoLock(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, server := pair(t, l, true)
	defer client.Close()
	defer server.Close()
	n := New(Options{})
	defer n.Close()
	call := n.Start(t.Context(), probe.Limits{})
	call.mu.Lock()
	sent, told, err := client.(asker).ask(call, []byte("hello"))
	call.mu.Unlock()
	if sent != 5 || told || err != nil {
		t.Errorf("got %d, told %v, %v, want 5 and not told", sent, told, err)
	}
	server.Write([]byte("x"))
	awaitReadable(client)
	if sent, told, err = client.(asker).ask(call, []byte("hello")); sent != 0 || told || err != errStirred {
		t.Errorf("got %d, told %v, %v, want %v", sent, told, err, errStirred)
	}
	server.Close()
	client.Close()
	if sent, told, err = client.(asker).ask(call, []byte("hello")); sent != 0 || told || !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %d, told %v, %v, want %v", sent, told, err, net.ErrClosed)
	}
	call.End(nil)
}

// TestAskIsCut has the call ended while it waits for an answer that does not come.
func TestAskIsCut(t *testing.T) {
	t.Parallel()
	n := New(Options{})
	defer n.Close()
	gate := make(chan struct{})
	r := serving(t, func(net.Conn) { <-gate }) // after the first answer there is no other
	defer close(gate)
	if a := asked(t, n, r, nil); !a.OK {
		t.Fatal(a.Err)
	}
	c := n.Start(t.Context(), probe.Limits{SockRead: 20 * time.Millisecond})
	_, err := c.RoundTrip(r, &http.Request{Method: "GET", URL: &url.URL{Scheme: "http", Host: r.Address}}, false)
	a := c.End(err)
	if a.Limit != probe.LimitSockRead || a.Phase != probe.PhaseWait || a.Evidence != probe.Unanswered || !a.Reused {
		t.Errorf("got %v in %v, %v, reused %v: %v", a.Limit, a.Phase, a.Evidence, a.Reused, a.Err)
	}
}
