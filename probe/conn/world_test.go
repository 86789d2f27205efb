package conn_test

import (
	"bufio"
	"context"
	"errors"
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

// world is a network in a bubble: everything in it is in memory, and its time is virtual.
type world struct {
	t   *testing.T
	mem *memnet.Net
	*conn.Network
}

// inBubble runs f in a world of its own.
func inBubble(t *testing.T, o conn.Options, f func(w *world)) {
	t.Parallel()
	bubble(t, o, f)
}

func bubble(t *testing.T, o conn.Options, f func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, o)
		f(w)
		w.end()
	})
}

// newWorld makes a world in the bubble that the caller is in.
func newWorld(t *testing.T, o conn.Options) *world {
	w := &world{t: t, mem: &memnet.Net{Hosts: map[string][]net.IP{}}}
	o.Lookup = w.mem.Lookup
	if o.Dial == nil {
		o.Dial = w.mem.Dial
	}
	w.Network = conn.New(o)
	return w
}

// end closes the network, and lets the servers' scripts come to their ends.
func (w *world) end() {
	w.Close()
	time.Sleep(10 * time.Minute)
}

const address = "192.0.2.1:80"

// standard are the limits of the design, and kept the way connections are kept by default.
var (
	standard = probe.Limits{Total: 30 * time.Second, Connect: 5 * time.Second, SockConnect: 5 * time.Second, SockRead: 10 * time.Second}
	kept     = probe.Connection{Reuse: true, IdleTimeout: 15 * time.Second, MaxAge: 5 * time.Minute}
)

func route() *conn.Route { return &conn.Route{Address: address, Connection: kept} }

// script serves each connection to the address with f, one goroutine each, until the test ends.
func (w *world) script(at string, f func(c *memnet.Conn, r *bufio.Reader)) {
	l := w.mem.Listen(at)
	w.t.Cleanup(func() { l.Close() })
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
	context.AfterFunc(w.t.Context(), func() { l.Close() })
}

// request reads one HTTP/1 request with its body.
func request(r *bufio.Reader) (*http.Request, error) {
	req, err := http.ReadRequest(r)
	if err == nil {
		_, err = io.Copy(io.Discard, req.Body)
	}
	return req, err
}

// answering answers each request with the text.
func answering(text string) func(c *memnet.Conn, r *bufio.Reader) {
	return func(c *memnet.Conn, r *bufio.Reader) {
		for {
			if _, err := request(r); err != nil {
				return
			}
			io.WriteString(c, text)
		}
	}
}

const ok200 = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

// try makes one attempt: a request, its body read to the end.
type try struct {
	route  *conn.Route
	limits probe.Limits
	method string
	body   string
	fresh  bool
	ctx    context.Context
}

// tried is what came of it.
type tried struct {
	probe.Attempt
	status int
	text   string
	took   time.Duration
}

func (w *world) get(r *conn.Route) tried { return w.try(try{route: r, limits: standard}) }

func (w *world) try(x try) tried { return attempt(w.t, w.Network, x) }

func attempt(t testing.TB, n *conn.Network, x try) tried {
	ctx := x.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	scheme := "http://"
	if x.route.TLS != nil {
		scheme = "https://"
	}
	method := x.method
	if method == "" {
		method = http.MethodGet
	}
	var body io.Reader
	if x.body != "" {
		body = strings.NewReader(x.body)
	}
	req, err := http.NewRequest(method, scheme+x.route.Address+"/", body)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	c := n.Start(ctx, x.limits)
	out := tried{}
	resp, err := c.RoundTrip(x.route, req, x.fresh)
	if err == nil {
		out.status = resp.StatusCode
		var text []byte
		text, err = io.ReadAll(resp.Body)
		out.text = string(text)
	}
	out.Attempt = c.End(err)
	out.took = time.Since(start)
	checkRecord(t, out)
	return out
}

// checkRecord holds what is true of every record.
func checkRecord(t testing.TB, a tried) {
	t.Helper()
	var sum time.Duration
	for p, d := range a.Phases {
		if d < 0 {
			t.Errorf("phase %v took %v", probe.Phase(p), d)
		}
		sum += d
	}
	if sum > a.took {
		t.Errorf("the phases sum to %v, the attempt took %v", sum, a.took)
	}
	if a.OK != (a.Err == nil) || a.OK != (a.Reason == "") {
		t.Errorf("ok %v, reason %q, error %v", a.OK, a.Reason, a.Err)
	}
	if !a.OK && !a.Reason.Known() {
		t.Errorf("unknown reason %q", a.Reason)
	}
	for _, foreign := range []string{"http: ", "http2: ", "HTTP/1.x transport", "tls: ", "x509: ", "EOF", "dial tcp"} {
		if a.Err != nil && strings.Contains(a.Err.Error(), foreign) {
			t.Errorf("the error of %s is in Go's own words: %v", a.Reason, a.Err)
		}
		for _, tried := range a.Addresses {
			if strings.Contains(tried.Err.Error(), foreign) {
				t.Errorf("the error of %s is in Go's own words: %v", tried.Address, tried.Err)
			}
		}
	}
	if (a.Limit != "") != errors.As(a.Err, new(*conn.LimitError)) {
		t.Errorf("limit %q, error %v", a.Limit, a.Err)
	}
}

func newRequest(method, at string) *http.Request {
	req, err := http.NewRequest(method, "http://"+at+"/", nil)
	if err != nil {
		panic(err)
	}
	return req
}

// inBubbleNamed is a subtest in a world of its own.
func inBubbleNamed(t *testing.T, name string, f func(w *world)) {
	t.Run(name, func(t *testing.T) { inBubble(t, conn.Options{}, f) })
}
