package conn_test

import (
	"bufio"
	"io"
	"net/http"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// flooding is the limits of an attempt at a server that is an adversary.
var flooding = probe.Limits{Total: time.Second, Connect: 800 * time.Millisecond, SockConnect: 500 * time.Millisecond, SockRead: 900 * time.Millisecond}

const (
	// beat is how often a flood comes: time stands still in a bubble while anything runs.
	beat = 20 * time.Millisecond
	// looks is how many beats pass between two looks at what is live, so that there is one near the end.
	looks = 40
	// mostLive is how much more may be live in the midst of a flood than before it, and mostHeap how much larger
	// the heap may be at any time, garbage and what the race detector adds included.
	mostLive = 2 << 20
	mostHeap = 64 << 20
)

// flood is a server that is an adversary, and what must come of an attempt at it.
type flood struct {
	name    string
	version conn.Version
	serve   func(f *flooder)
	upload  bool // the request has a body
	reasons []probe.Reason
}

// flooder is the adversary's end of one connection.
type flooder struct {
	t     testing.TB
	w     io.Writer
	c     *memnet.Conn
	beats int
	base  uint64
}

// floods writes the texts again and again, some KiB at a beat, until nobody takes them any more. Each text stands
// whole in each round.
func (f *flooder) floods(kib int, texts ...string) {
	text := strings.Join(texts, "")
	piece := strings.Repeat(text, max(1, kib<<10/max(1, len(text))))
	f.base = liveNow()
	for f.beat() {
		if _, err := io.WriteString(f.w, piece); err != nil {
			return
		}
	}
}

// says writes a text once.
func (f *flooder) says(text string) { io.WriteString(f.w, text) }

// beat waits for the next beat, and looks at the memory; it is false when the other end is gone.
func (f *flooder) beat() bool {
	time.Sleep(beat)
	f.beats++
	if grown := heapNow(); f.base > 0 && grown > f.base+mostHeap {
		f.t.Errorf("the heap has grown by %d KiB, want %d at most", (grown-f.base)>>10, mostHeap>>10)
		return false
	}
	if f.beats%looks == 0 {
		if live := liveNow(); live > f.base+mostLive {
			f.t.Errorf("%d KiB are held after %d beats, want %d at most", (live-f.base)>>10, f.beats, mostLive>>10)
			return false
		}
	}
	return !f.c.Closed()
}

// liveNow is what is live on the heap, in bytes.
func liveNow() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// heapNow is what is on the heap, garbage included.
func heapNow() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// play makes an attempt at the server: it ends within its limits, with one of the reasons, and the server's
// connection is closed when the network is.
func (x flood) play(t *testing.T) {
	bubble(t, conn.Options{}, func(w *world) {
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			x.serve(&flooder{t: w.t, w: c, c: c})
			io.Copy(io.Discard, r)
		})
		r := route()
		r.Version = x.version
		x.judge(w.t, x.attempt(w.t, w.Network, r))
	})
}

// attempt makes the attempt, and keeps nothing of the body.
func (x flood) attempt(t testing.TB, n *conn.Network, r *conn.Route) tried {
	req := newRequest(http.MethodGet, r.Address)
	if x.upload {
		req.Method, req.Body, req.ContentLength = http.MethodPut, io.NopCloser(strings.NewReader(strings.Repeat("x", 1<<20))), 1<<20
	}
	start := time.Now()
	c := n.Start(t.Context(), flooding)
	resp, err := c.RoundTrip(r, req, false)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	got := tried{Attempt: c.End(err)}
	got.took = time.Since(start)
	checkRecord(t, got)
	return got
}

func (x flood) judge(t testing.TB, got tried) {
	t.Helper()
	t.Logf("%q in %v after %v: %v", got.Reason, got.Phase, got.took, got.Err)
	if !slices.Contains(x.reasons, got.Reason) {
		t.Errorf("got %q, want one of %q: %v", got.Reason, x.reasons, got.Err)
	}
	if got.took > flooding.Total {
		t.Errorf("the attempt took %v, want %v at most", got.took, flooding.Total)
	}
}

// reasons is a list of them.
func reasons(all ...probe.Reason) []probe.Reason { return all }

// The reasons that most floods end with.
var (
	ofProtocol = reasons(probe.ReasonProtocolError)
	ofFlood    = ofProtocol // what brings nothing is too much
	ofTotal    = reasons(probe.ReasonLimitTotal)
	ofSilence  = reasons(probe.ReasonLimitSockRead)
	ofBody     = reasons(probe.ReasonBodyCorrupt)
	ofPass     = reasons("")
)

const (
	okHead      = "HTTP/1.1 200 OK\r\n"
	chunkedHead = okHead + "Transfer-Encoding: chunked\r\n\r\n"
)

// pours is a server that reads a request, says a text, and then another without end.
func pours(text string, kib int, again ...string) func(f *flooder) {
	return func(f *flooder) {
		request(bufio.NewReader(f.c))
		f.says(text)
		if len(again) > 0 {
			f.floods(kib, again...)
		}
	}
}

// drips says a text, and then bytes of another, one every so often; the last piece for ever.
func drips(text, again string, every time.Duration) func(f *flooder) {
	return func(f *flooder) {
		request(bufio.NewReader(f.c))
		f.says(text)
		for i := 0; !f.c.Closed(); i++ {
			time.Sleep(every)
			f.says(again[i%len(again) : i%len(again)+1])
		}
	}
}

var http1Floods = []flood{
	{name: "header lines without end", serve: pours(okHead, 64, "A: b\r\n"), reasons: ofProtocol},
	{name: "a header line without end", serve: pours(okHead+"A: ", 64, "b"), reasons: ofProtocol},
	{name: "folded header lines without end", serve: pours(okHead+"A: b\r\n", 64, " c\r\n"), reasons: ofProtocol},
	{name: "a status line without end", serve: pours("HTTP/1.1 200 ", 64, "O"), reasons: ofProtocol},
	{name: "NULs without end", serve: pours("", 64, "\x00"), reasons: ofProtocol},
	{name: "line ends without end", serve: pours("", 64, "\r\n"), reasons: ofProtocol},
	{name: "100 without end", serve: pours("", 64, "HTTP/1.1 100 Continue\r\n\r\n"), reasons: ofProtocol},
	{name: "103 without end, with headers", serve: pours("", 64, "HTTP/1.1 103 X\r\nLink: </"+strings.Repeat("a", 5000)+">\r\n\r\n"), reasons: ofProtocol},
	{name: "102, one at a time", serve: drips("", "HTTP/1.1 102 X\r\n\r\n", 50*time.Millisecond), reasons: ofTotal},
	{name: "a header, one byte at a time", serve: drips(okHead+"A: ", "b", 200*time.Millisecond), reasons: ofTotal},
	{name: "a header that stops", serve: pours(okHead+"A: ", 0), reasons: ofSilence},
	{name: "a body that never ends", serve: pours(okHead+"\r\n", 512, "x"), reasons: ofTotal},
	{name: "a body, one byte at a time", serve: drips(okHead+"\r\n", "x", 200*time.Millisecond), reasons: ofTotal},
	{name: "a body, one byte a second", serve: drips(okHead+"\r\n", "x", time.Second), reasons: ofSilence},
	{name: "chunks of one byte without end", serve: pours(chunkedHead, 64, "1\r\nx\r\n"), reasons: ofTotal},
	{name: "chunks with extensions without end", serve: pours(chunkedHead, 64, "1;"+strings.Repeat("e", 300)+"\r\nx\r\n"), reasons: ofBody},
	{name: "a chunk extension without end", serve: pours(chunkedHead+"5;", 64, "e"), reasons: ofBody},
	{name: "a chunk length without end", serve: pours(chunkedHead, 64, "0"), reasons: ofBody},
	{name: "a chunk of 2^63 bytes", serve: pours(chunkedHead+"8000000000000000\r\n", 512, "x"), reasons: ofTotal},
	{name: "a chunk of 2^64-1 bytes", serve: pours(chunkedHead+"ffffffffffffffff\r\n", 512, "x"), reasons: ofTotal},
	{name: "a chunk length of 17 digits", serve: pours(chunkedHead+"00000000000000005\r\nhello\r\n0\r\n\r\n", 0), reasons: ofBody},
	{name: "a chunk length below zero", serve: pours(chunkedHead+"-5\r\nhello\r\n0\r\n\r\n", 0), reasons: ofBody},
	{name: "trailers without end", serve: pours(chunkedHead+"0\r\n", 64, "A: b\r\n"), reasons: ofBody},
	{name: "a trailer without end", serve: pours(chunkedHead+"0\r\nA: ", 64, "b"), reasons: ofBody},
	{name: "a length below zero", serve: pours(okHead+"Content-Length: -5\r\n\r\n", 64, "x"), reasons: ofProtocol},
	{name: "a length with a plus", serve: pours(okHead+"Content-Length: +5\r\n\r\n", 64, "x"), reasons: ofProtocol},
	{name: "a length in hex", serve: pours(okHead+"Content-Length: 0x5\r\n\r\n", 64, "x"), reasons: ofProtocol},
	{name: "a length of 2^63", serve: pours(okHead+"Content-Length: 9223372036854775808\r\n\r\n", 64, "x"), reasons: ofProtocol},
	{name: "a length of 2^63-1", serve: pours(okHead+"Content-Length: 9223372036854775807\r\n\r\n", 512, "x"), reasons: ofTotal},
	{name: "lengths that differ", serve: pours(okHead+"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 0), reasons: ofProtocol},
	{name: "lengths that differ in one line", serve: pours(okHead+"Content-Length: 5, 6\r\n\r\nhello", 0), reasons: ofProtocol},
	{name: "lengths that agree", serve: pours(okHead+"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 0), reasons: ofPass},
	{name: "an encoding of the transfer that is not known", serve: pours(okHead+"Transfer-Encoding: gzip\r\n\r\n", 64, "x"), reasons: ofProtocol},
	{name: "chunked twice", serve: pours(okHead+"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 64, "x"), reasons: ofProtocol},
	{name: "a status of four digits", serve: pours("HTTP/1.1 2000 OK\r\n\r\n", 0), reasons: ofProtocol},
	{name: "a status below zero", serve: pours("HTTP/1.1 -20 OK\r\n\r\n", 0), reasons: ofProtocol},
}

// TestHTTP1Floods is not parallel, like its fellows: they look at the memory of the process.
func TestHTTP1Floods(t *testing.T) {
	for _, x := range http1Floods {
		x.version = conn.V1
		t.Run(x.name, x.play)
	}
}
