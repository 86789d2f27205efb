package conn_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// TestWords has what users read of failures after the connection was made, and what it leads to.
func TestWords(t *testing.T) {
	const cut = "HTTP/1.1 200 OK\r\nContent-Length: 1024\r\n\r\n"
	for _, row := range []struct {
		text  string
		after func(c *memnet.Conn)
		words string
		leaf  error
	}{
		{"", fin, "the peer closed the connection before answering", io.EOF},
		{"", rst, "the peer reset the connection before answering", syscall.ECONNRESET},
		{"", stay, "limit sock_read: no byte for 10s while waiting for the response header", context.DeadlineExceeded},
		{"HTTP/1.1 2", fin, "the peer closed the connection in the middle of the response header", nil},
		{"HTTP/1.1 2", rst, "the peer reset the connection in the middle of the response header", syscall.ECONNRESET},
		{"SSH-2.0-OpenSSH\r\n", stay, `the answer is not HTTP: "SSH-2.0-OpenSSH"`, nil},
		{"\x1b[2J\x00\x07\r\n\r\n", stay, `the answer is not HTTP: "\x1b[2J\x00\a"`, nil},
		{"\r\n\r\n", stay, `the answer is not HTTP, it begins with "\r\n\r\n"`, nil},
		{"SSH", fin, `the answer is not HTTP: "SSH"`, nil},
		{"HTTP/1.1 200 OK\r\n\x1b[2J\r\n\r\n", stay, `the answer is not proper HTTP: malformed MIME header: missing colon: "\x1b[2J"`, nil},
		{"HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 2<<20), stay, "the answer is not proper HTTP: its header is longer than 1048576 bytes", nil},
		{cut + strings.Repeat("x", 512), fin, "the body was cut after 512 of 1024 bytes", io.ErrUnexpectedEOF},
		{cut + strings.Repeat("x", 512), rst, "the body was cut after 512 of 1024 bytes", syscall.ECONNRESET},
		{cut, stay, "limit sock_read: no byte for 10s while receiving the body", context.DeadlineExceeded},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhello", fin, "the body was cut after 5 bytes", io.ErrUnexpectedEOF},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", stay, "the body is damaged after 0 bytes: invalid byte in chunk length", nil},
	} {
		inBubbleNamed(t, row.words, func(w *world) {
			w.script(address, saying(row.text, row.after))
			got := w.get(route())
			if got.Err == nil || got.Err.Error() != row.words || row.leaf != nil && !errors.Is(got.Err, row.leaf) {
				t.Errorf("got %q (%T), want %q and %v within", got.Err, errors.Unwrap(got.Err), row.words, row.leaf)
			}
		})
	}
}

// TestWordsOfStale is of a kept connection.
func TestWordsOfStale(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			request(r)
			io.WriteString(c, ok200)
			request(r)
		})
		w.get(route())
		got := w.get(route())
		if want := "the peer closed the connection, which had been kept, before answering"; got.Err == nil || got.Err.Error() != want || !errors.Is(got.Err, io.EOF) {
			t.Errorf("got %q, want %q", got.Err, want)
		}
	})
}

// TestWordsBefore is of failures before the connection is made.
func TestWordsBefore(t *testing.T) {
	silent := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for _, row := range []struct {
		dial   func(ctx context.Context, network, address string) (net.Conn, error)
		dns    *net.DNSError
		limits probe.Limits
		words  string
	}{
		{silent, nil, probe.Limits{Connect: 5 * time.Second}, "limit connect (5s) passed while connecting to 192.0.2.1:80"},
		{silent, nil, probe.Limits{SockConnect: time.Second}, "limit sock_connect (1s) passed while connecting to 192.0.2.1:80"},
		{nil, &net.DNSError{Err: "no such host", Name: "x", Server: "10.0.0.53:53", IsNotFound: true}, standard,
			`name "x" does not exist or has no address (asked 10.0.0.53:53)`},
		{nil, &net.DNSError{Err: "i/o timeout", Name: "x", Server: "10.0.0.53:53", IsTimeout: true, IsTemporary: true}, standard,
			`the name server did not answer when asked for "x" (asked 10.0.0.53:53)`},
		{nil, &net.DNSError{Err: "server misbehaving", Name: "x", Server: "10.0.0.53:53", IsTemporary: true}, standard,
			`name "x" could not be looked up for now: server misbehaving (asked 10.0.0.53:53)`},
		{nil, &net.DNSError{Err: "server misbehaving", Name: "x"}, standard, `the name server refused to look up "x": server misbehaving`},
	} {
		t.Run(row.words, func(t *testing.T) {
			inBubble(t, conn.Options{Dial: row.dial}, func(w *world) {
				r := route()
				var leaf error
				if row.dns != nil {
					leaf, r.Address = row.dns, "x:80"
					w.Network = conn.New(conn.Options{Lookup: func(context.Context, string) ([]net.IP, error) { return nil, row.dns }})
				}
				got := w.try(try{route: r, limits: row.limits})
				if got.Err == nil || got.Err.Error() != row.words || leaf != nil && !errors.Is(got.Err, leaf) {
					t.Errorf("got %q, want %q", got.Err, row.words)
				}
			})
		})
	}
}

// TestWordsOfClosedPort is on a real socket.
func TestWordsOfClosedPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	n := conn.New(conn.Options{})
	defer n.Close()
	at := l.Addr().String()
	got := attempt(t, n, try{route: &conn.Route{Address: at}, limits: standard})
	if want := "connecting to " + at + ": connection refused"; got.Err == nil || got.Err.Error() != want || !errors.Is(got.Err, syscall.ECONNREFUSED) {
		t.Errorf("got %q, want %q", got.Err, want)
	}
}
