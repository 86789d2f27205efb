package kinds

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// world is a network in a bubble: everything in it is in memory, its time is virtual, and a goroutine
// that is left in it fails the test.
type world struct {
	t   *testing.T
	mem *memnet.Net
	net *conn.Network
	end []func() error
	// over is closed when the test has ended: time stands still in a bubble from then on.
	over chan struct{}
}

// pause waits, but not past the test's end.
func (w *world) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-w.over:
	}
}

// inBubble runs f in a world of its own.
func inBubble(t *testing.T, f func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, mem: &memnet.Net{Hosts: map[string][]net.IP{}}, over: make(chan struct{})}
		w.net = conn.New(conn.Options{Dial: w.mem.Dial, Lookup: w.mem.Lookup})
		f(w)
		close(w.over)
		w.net.Close()
		for _, end := range w.end {
			end()
		}
	})
}

// The places of these tests. host.example and other.example are names of two machines.
const (
	here  = "192.0.2.1:80"
	there = "192.0.2.2:80"
)

// standard is the environment of a probe with the limits of the design.
var standard = probe.Env{
	Probe: "p", Interval: time.Minute,
	Limits:     probe.Limits{Total: 30 * time.Second, Connect: 5 * time.Second, SockConnect: 5 * time.Second, SockRead: 10 * time.Second},
	Connection: probe.Connection{Reuse: true, IdleTimeout: 15 * time.Second, MaxAge: 5 * time.Minute},
}

// house is what the kinds of this world share.
func (w *world) house() *house { return newHouse(w.net.Starter(), "1.2.3") }

// http is settings for a URL, changed by each of change.
func (w *world) http(url string, change ...func(*HTTP)) *HTTP {
	s := newHTTP(w.house()).(*HTTP)
	s.URL = url
	for _, c := range change {
		c(s)
	}
	return s
}

// try makes one attempt with settings that must be in order.
func (w *world) try(s probe.Settings) probe.Attempt {
	w.t.Helper()
	return w.tryIn(context.Background(), s)
}

func (w *world) tryIn(ctx context.Context, s probe.Settings) probe.Attempt {
	w.t.Helper()
	return prober(w.t, s, standard).Probe(ctx, probe.Try{Number: 1, Key: probe.NewKey()})
}

// prober makes the prober of settings that must be in order.
func prober(t testing.TB, s probe.Settings, env probe.Env) probe.Prober {
	t.Helper()
	for _, f := range s.Check(env) {
		if !f.Warning {
			t.Fatalf("settings are at fault: %s", f.Error())
		}
	}
	p, err := s.Prober(env)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// serve serves each connection to the address with f, one goroutine each, until the test ends.
func (w *world) serve(at string, f func(c *memnet.Conn, r *bufio.Reader)) {
	l := w.mem.Listen(at)
	w.end = append(w.end, l.Close)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				f(c.(*memnet.Conn), bufio.NewReader(c))
			}()
		}
	}()
}

// handle serves HTTP/1 at the address. The requests it saw are in the list, bodies in their Form under
// "body".
func (w *world) handle(at string, f http.HandlerFunc) *[]*http.Request {
	seen := new([]*http.Request)
	w.serve(at, func(c *memnet.Conn, r *bufio.Reader) {
		for {
			req, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			body, err := io.ReadAll(req.Body)
			if err != nil {
				return
			}
			req.PostForm = map[string][]string{"body": {string(body)}}
			*seen = append(*seen, req)
			if !answer(c, req, f) {
				return
			}
		}
	})
	return seen
}

// answer writes what the handler says, with a Content-Length; false ends the connection.
func answer(c net.Conn, req *http.Request, f http.HandlerFunc) bool {
	rec := &recorder{header: http.Header{}, status: http.StatusOK}
	f(rec, req)
	resp := http.Response{
		StatusCode: rec.status, ProtoMajor: 1, ProtoMinor: 1, Header: rec.header, Request: req,
		ContentLength: int64(len(rec.body)), Body: io.NopCloser(&rec.body),
	}
	return resp.Write(c) == nil && !req.Close
}

// recorder is a ResponseWriter that holds the whole response.
type recorder struct {
	header http.Header
	status int
	body   bodyText
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { r.body = append(r.body, p...); return len(p), nil }

// bodyText is a body to be read.
type bodyText []byte

func (b *bodyText) Read(p []byte) (int, error) {
	if len(*b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, *b)
	*b = (*b)[n:]
	return n, nil
}

// say answers every request at the address with the text as it is, and then closes, unless the text ends
// with waits.
func (w *world) say(at, text string) {
	text, stays := strings.CutSuffix(text, waits)
	w.serve(at, func(c *memnet.Conn, r *bufio.Reader) {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		io.Copy(io.Discard, req.Body)
		io.WriteString(c, text)
		if stays {
			w.pause(time.Hour)
		}
	})
}
