package conn_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/http2"

	"sonde/probe"
	"sonde/probe/conn"
)

// TestResetAtOnce has a peer accept and reset at once: whether the kernel has told of that by the time we look
// whether we are connected makes no difference, be there one address or several.
func TestResetAtOnce(t *testing.T) {
	t.Parallel()
	at := serve(t, func(c net.Conn) { c.(*net.TCPConn).SetLinger(0) })
	_, port, _ := net.SplitHostPort(at)
	n := conn.New(conn.Options{Lookup: func(context.Context, string) ([]net.IP, error) {
		return []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(127, 0, 0, 2)}, nil
	}})
	defer n.Close()
	for _, address := range []string{at, net.JoinHostPort("two.example", port)} {
		for range 200 {
			got := attempt(t, n, try{route: &conn.Route{Address: address}, limits: standard})
			if got.Reason != probe.ReasonDisconnected || got.RemoteAddress != at || !strings.Contains(got.Err.Error(), "reset") {
				t.Fatalf("%s: got %q in %v, with %s: %v", address, got.Reason, got.Phase, got.RemoteAddress, got.Err)
			}
		}
	}
}

// TestAnswerThenReset has a peer answer an upload of which it has read the header only, and close: the kernel resets
// the connection, and what was said is there all the same.
func TestAnswerThenReset(t *testing.T) {
	t.Parallel()
	for version, answer := range map[conn.Version]func(c net.Conn){conn.V1: refuseUpload, conn.H2C: refuseUploadHTTP2} {
		r := &conn.Route{Address: serve(t, answer), Version: version}
		n := conn.New(conn.Options{})
		for range 200 {
			got := attempt(t, n, try{route: r, limits: standard, method: "PUT", body: strings.Repeat("x", 60_000)})
			if got.status != 413 {
				t.Fatalf("HTTP %s: got %q in %v, %v: %v, want status 413", version, got.Reason, got.Phase, got.Evidence, got.Err)
			}
		}
		n.Close()
	}
}

func refuseUpload(c net.Conn) {
	http.ReadRequest(bufio.NewReaderSize(c, 16))
	io.WriteString(c, "HTTP/1.1 413 X\r\nContent-Length: 0\r\n\r\n")
}

func refuseUploadHTTP2(c net.Conn) {
	io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
	p := newPeer(c, c)
	p.WriteSettings()
	p.header(p.stream(), true, ":status", "413")
}
