package conn_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// said is what a client makes of what a server says.
type said struct {
	Failed  bool // before the header was complete
	Status  int
	Proto   string
	Header  http.Header
	Length  int64
	Chunked bool
	Trailer http.Header
	Body    string
	Ending  string // of the body
	Kept    bool   // the connection takes another request
}

// answers are what servers say, good and bad, and among them what request smugglers are fond of.
var answers = []string{
	ok200,
	"HTTP/1.1 200 OK\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nConnection: keep-alive, Close\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1  200 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 -20 OK\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1\r\n\r\n", "\r\n\r\n",
	"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"HTTP/0.9 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.10 200 OK\r\n\r\n",
	"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
	"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 100 Continue\r\n\r\n" + ok200, "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 102 P\r\n\r\n" + ok200,
	"HTTP/1.1 100 Continue\r\nContent-Length: 3\r\n\r\n" + ok200, "HTTP/1.1 199 X\r\n\r\n", "HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 000 X\r\n\r\n",
	"HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n\r\n5;x=y\r\nhello\r\n0\r\nA: b\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n 5\r\nhello\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nhello\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8000000000000000\r\nhello",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: " + strings.Repeat("a", 8<<10) + "\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;" + strings.Repeat("x", 8<<10) + "\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nTransfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\n A: b\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\nContent-Length: 5\n\nhello", "HTTP/1.1 200 OK\rContent-Length: 5\r\rhello", "HTTP/1.1 200 OK\r\nA\x00: b\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nA: b\x00c\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\n: b\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
	"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", ok200 + "more", ok200 + ok200, "HTTP/1.1 204 X\r\n\r\nmore", "HTTP/1.1 200 O", "", "SSH-2.0-x\r\n",
	"HTTP/1.1 200 OK\r\nPragma: no-cache\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n",
}

// TestAgreesWithGo has a server say the same to Go's own client: we make the same of it.
func TestAgreesWithGo(t *testing.T) {
	t.Parallel()
	for _, text := range answers {
		for _, method := range []string{"GET", "HEAD"} {
			for _, closes := range []bool{false, true} {
				agrees(t, method, closes, 1<<16, []byte(text))
			}
		}
		agrees(t, "GET", true, 1, []byte(text))
	}
}

// FuzzAgreesWithGo is TestAgreesWithGo with arbitrary bytes.
func FuzzAgreesWithGo(f *testing.F) {
	for _, text := range answers {
		f.Add(false, true, byte(3), []byte(text))
	}
	f.Fuzz(func(t *testing.T, head, closes bool, piece byte, text []byte) {
		method := "GET"
		if head {
			method = "HEAD"
		}
		if len(text) < 1<<16 && !switches(text) {
			agrees(t, method, closes, int(piece)+1, text)
		}
	})
}

// switches is true of an answer of status 101, of which each makes what it likes.
func switches(text []byte) bool { return bytes.Contains(text, []byte(" 101")) }

func agrees(t *testing.T, method string, closes bool, piece int, text []byte) {
	t.Helper()
	serve := func(c *memnet.Conn, r *bufio.Reader) {
		request(r)
		for rest := text; len(rest) > 0; {
			n, err := c.Write(rest[:min(piece, len(rest))])
			if err != nil {
				return
			}
			rest = rest[n:]
			if piece > 1 {
				time.Sleep(time.Microsecond)
			}
		}
		if closes {
			c.CloseWrite()
		}
		io.Copy(io.Discard, r)
	}
	var ours, gos said
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, conn.Options{})
		w.script(address, serve)
		ours = w.asked(method)
		gos = askedByGo(w.mem, method)
		w.end()
	})
	if diff := cmp.Diff(gos, ours); diff != "" {
		t.Errorf("%s, closes %v, after %q: Go -, ours +:\n%s", method, closes, text, diff)
	}
}

// asked asks with our own client.
func (w *world) asked(method string) said {
	c := w.Start(w.t.Context(), standard)
	resp, err := c.RoundTrip(route(), newRequest(method, address), false)
	out := heard(resp, err)
	c.End(err)
	synctest.Wait()
	c = w.Start(w.t.Context(), standard)
	c.RoundTrip(route(), newRequest(method, address), false)
	out.Kept = c.End(nil).Reused
	return out
}

// askedByGo asks with one connection of Go's client, which sends nothing again.
func askedByGo(mem *memnet.Net, method string) said {
	t := &http.Transport{DisableCompression: true, MaxResponseHeaderBytes: 1 << 20, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return mem.Dial(ctx, network, address)
	}}
	cc, err := t.NewClientConn(context.Background(), "http", address)
	if err != nil {
		return said{Failed: true}
	}
	defer cc.Close()
	ctx, cancel := context.WithTimeout(context.Background(), standard.SockRead)
	defer cancel()
	resp, err := cc.RoundTrip(newRequest(method, address).WithContext(ctx))
	out := heard(resp, err)
	if err == nil {
		resp.Body.Close()
	}
	synctest.Wait()
	out.Kept = cc.Err() == nil && cc.Available() > 0
	return out
}

// heard is what a client made of an answer.
func heard(resp *http.Response, err error) said {
	if err != nil {
		return said{Failed: true}
	}
	text, err := io.ReadAll(resp.Body)
	out := said{
		Status: resp.StatusCode, Proto: resp.Proto, Header: resp.Header, Length: resp.ContentLength,
		Chunked: len(resp.TransferEncoding) > 0, Trailer: resp.Trailer, Body: string(text),
	}
	switch {
	case err == nil:
		out.Ending = "whole"
	case errors.Is(err, io.ErrUnexpectedEOF):
		out.Ending = "cut"
	case errors.Is(err, context.DeadlineExceeded):
		out.Ending = "silence"
	default:
		out.Ending = "damaged"
	}
	return out
}
