package conn

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// usualAnswers are answers that are read without http.ReadResponse.
var usualAnswers = []string{
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello more",
	"HTTP/1.1 503\r\ncontent-length: 0\r\n\r\n",
	"HTTP/1.1 200  OK \r\nContent-Length:\t0 \r\n\r\n",
	"HTTP/1.1 204 No Content\r\nA: b\r\n\r\n",
	"HTTP/1.1 304 Not Modified\r\nContent-Length: 70\r\nETag: x\r\n\r\n",
	"HTTP/1.1 200 OK\r\nSet-Cookie: a\r\nset-cookie: b\r\nX: \xff\t\r\nContent-Length: 0\r\nEmpty:\r\n\r\n",
	"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 1\r\n\r\nx",
	"HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\nE: 5\r\nF: 6\r\nG: 7\r\nH: 8\r\nI: 9\r\nA: 10\r\nContent-Length: 000\r\n\r\n",
}

// oddAnswers are those that are left to it.
var oddAnswers = []string{
	"", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "HTTP/1.1 200 OK\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 5\n\r\n\r\nhello",
	"\r\n\r\n", "HTTP/1.1 200 OK\r\n\n\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1\t200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nContent-Length: 5_0\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhello", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nhello",
	"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 200 OK\r\nPragma: no-cache\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nTrailer: A\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close, x\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nConnection: close\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\n A: b\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nA : b\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\n: b\r\nContent-Length: 0\r\n\r\n",
	"HTTP/1.1 200 OK\r\nA: b\rc\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\x00\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
}

// TestReadsAsGoDoes reads answers by itself and by http.ReadResponse.
func TestReadsAsGoDoes(t *testing.T) {
	t.Parallel()
	for want, texts := range map[bool][]string{true: usualAnswers, false: oddAnswers} {
		for _, text := range texts {
			if got := readsAsGo(t, http.MethodGet, text); got != want {
				t.Errorf("%q was read here: %v, want %v", text, got, want)
			}
			readsAsGo(t, http.MethodHead, text)
		}
	}
}

// FuzzReadsAsGoDoes is TestReadsAsGoDoes with arbitrary bytes.
func FuzzReadsAsGoDoes(f *testing.F) {
	for _, text := range append(usualAnswers, oddAnswers...) {
		f.Add(false, text)
	}
	f.Fuzz(func(t *testing.T, head bool, text string) {
		readsAsGo(t, map[bool]string{true: http.MethodHead, false: http.MethodGet}[head], text)
	})
}

// readsAsGo is true of an answer that is read here, and then holds it against what http.ReadResponse reads.
func readsAsGo(t *testing.T, method, text string) bool {
	t.Helper()
	req := &http.Request{Method: method}
	mine, gos := bufio.NewReader(strings.NewReader(text)), bufio.NewReader(strings.NewReader(text))
	mine.Peek(1)
	r := readResponse(mine, req)
	if r == nil {
		if come := mine.Buffered(); come != min(len(text), mine.Size()) {
			t.Errorf("%q: %d bytes are left, want all", text, come)
		}
		return false
	}
	want, err := http.ReadResponse(gos, req)
	if err != nil {
		t.Fatalf("%q was read, want %v", text, err)
	}
	var bodies [2]string
	var ends [2]error
	for i, resp := range []*http.Response{want, &r.Response} {
		body, err := io.ReadAll(resp.Body)
		bodies[i], ends[i] = string(body), err
		resp.Body = nil
	}
	if diff := cmp.Diff(*want, r.Response, cmp.Comparer(func(a, b *http.Request) bool { return a == b })); diff != "" {
		t.Errorf("%s %q: Go -, ours +:\n%s", method, text, diff)
	}
	if bodies[0] != bodies[1] || !errors.Is(ends[1], ends[0]) || mine.Buffered() != gos.Buffered() {
		t.Errorf("%s %q: got %q and %v, %d bytes left, want %q and %v, %d left", method, text, bodies[1], ends[1], mine.Buffered(), bodies[0], ends[0], gos.Buffered())
	}
	return true
}

// BenchmarkReadResponse reads an ordinary answer by itself and by http.ReadResponse.
func BenchmarkReadResponse(b *testing.B) {
	const text = "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Mon, 30 Nov 2026 10:00:00 GMT\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n"
	req, text1 := &http.Request{Method: http.MethodGet}, strings.NewReader(text)
	in := bufio.NewReader(text1)
	for name, read := range map[string]func() bool{
		"ours": func() bool { return readResponse(in, req) != nil },
		"go":   func() bool { _, err := http.ReadResponse(in, req); return err == nil },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				text1.Reset(text)
				in.Reset(text1)
				in.Peek(1)
				if !read() {
					b.Fatal("not read")
				}
			}
		})
	}
}
