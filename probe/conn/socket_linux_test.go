package conn

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"sonde/probe"
)

// TestSocket holds a connection of our own making against one of package net's: it says the same of what
// befalls it.
func TestSocket(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, row := range []struct {
		name string
		do   func(c, peer net.Conn) error
		want error
	}{
		{"FIN", func(c, peer net.Conn) error { peer.Close(); return readFrom(c) }, io.EOF},
		{"RST", func(c, peer net.Conn) error {
			peer.(*net.TCPConn).SetLinger(0)
			peer.Close()
			return readFrom(c)
		}, syscall.ECONNRESET},
		{"closed", func(c, _ net.Conn) error { c.Close(); return readFrom(c) }, net.ErrClosed},
		{"closed meanwhile", func(c, _ net.Conn) error {
			time.AfterFunc(10*time.Millisecond, func() { c.Close() })
			return readFrom(c)
		}, net.ErrClosed},
		{"closed in a write", func(c, _ net.Conn) error {
			time.AfterFunc(10*time.Millisecond, func() { c.Close() })
			_, err := c.Write(make([]byte, 64<<20))
			return err
		}, net.ErrClosed},
		{"deadline", func(c, _ net.Conn) error {
			c.SetDeadline(time.Now().Add(time.Millisecond))
			return readFrom(c)
		}, os.ErrDeadlineExceeded},
		{"closed twice", func(c, _ net.Conn) error { c.Close(); return c.Close() }, net.ErrClosed},
	} {
		for _, ours := range []bool{true, false} {
			c, peer := pair(t, l, ours)
			if err := row.do(c, peer); !errors.Is(err, row.want) {
				t.Errorf("%s, ours %v: got %v, want %v", row.name, ours, err, row.want)
			}
			c.Close()
			peer.Close()
		}
	}
}

func readFrom(c net.Conn) error {
	_, err := c.Read(make([]byte, 1))
	return err
}

// pair connects to a listener, by our own dialler or by package net's.
func pair(t *testing.T, l net.Listener, ours bool) (client, server net.Conn) {
	t.Helper()
	n := New(Options{})
	defer n.Close()
	call := n.Start(t.Context(), probe.Limits{})
	defer call.End(nil)
	ctx := context.Context(call.ctx)
	if !ours {
		ctx = t.Context()
	}
	client, err := n.options.Dial(ctx, "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, is := client.(*socket); is != ours {
		t.Fatalf("got %T", client)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	if client.LocalAddr().String() != server.RemoteAddr().String() || client.RemoteAddr().String() != server.LocalAddr().String() {
		t.Errorf("got %v to %v, want %v to %v", client.LocalAddr(), client.RemoteAddr(), server.RemoteAddr(), server.LocalAddr())
	}
	call.mu.Lock()
	call.dial = nil // the test closes it
	call.mu.Unlock()
	return client, server
}

// TestSocketRefused has nobody listen: what is said is what package net says.
func TestSocketRefused(t *testing.T) {
	t.Parallel()
	n := New(Options{})
	defer n.Close()
	for _, address := range []string{"127.0.0.1:1", "[::1]:1", "0.0.0.0:1", "127.0.0.1:0"} {
		call := n.Start(t.Context(), probe.Limits{})
		_, ours := n.options.Dial(call.ctx, "tcp", address)
		call.End(ours)
		_, nets := n.options.Dial(t.Context(), "tcp", address)
		if ours == nil || nets == nil || ours.Error() != nets.Error() || errnoReason(ours) != errnoReason(nets) {
			t.Errorf("%s: got %v, want %v", address, ours, nets)
		}
	}
}
