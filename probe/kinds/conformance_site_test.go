package kinds_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"

	"golang.org/x/net/http2"
)

// stage is when a turn is taken: the further down, the further the attempt has got.
type stage int

const (
	atRequest stage = iota // a request has come, body and all
	atHeader               // the header of a request has come, and its body is not read
	atByte                 // a byte of something has come, on a new connection
	atAccept               // a connection has been accepted
	atDial                 // a connection is being made
	atLookup               // the name is being looked up
)

// turn is what a site does once. Of stages atDial and atLookup it is the error that the prober gets.
type turn struct {
	at    stage
	serve func(p *peer)
	fail  func(ctx context.Context) error
}

// on is the turn at another stage.
func (t turn) on(s stage) turn { t.at = s; return t }

// site is a server that plays its turns, one for each request, connection or dial; the last for ever.
type site struct {
	lab   *lab
	ip    string
	h2    bool // without TLS
	tls   *tls.Config
	turns []turn

	mu       sync.Mutex
	next     int
	seen     []seen
	accepted []net.Conn
	sent     int64
	listener net.Listener
}

// seen is a request that has come.
type seen struct{ method, path, key, body, credentials string }

// take takes the next turn if it is of one of the stages.
func (s *site) take(stages ...stage) (turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.turns) == 0 {
		return turn{}, false
	}
	t := s.turns[min(s.next, len(s.turns)-1)]
	if !slices.Contains(stages, t.at) {
		return turn{}, false
	}
	s.next++
	return t, true
}

func (s *site) saw(r seen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, r)
}

// requests is what has come so far.
func (s *site) requests() []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// conns are the connections that have been accepted so far.
func (s *site) conns() []net.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.accepted)
}

// listen serves each connection on a goroutine of its own.
func (s *site) listen(l net.Listener) {
	s.listener = l
	s.lab.served.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.accepted = append(s.accepted, c)
			s.mu.Unlock()
			s.lab.served.Go(func() { s.serve(c) })
		}
	})
}

// close ends listening, and what is still open.
func (s *site) close() {
	if s.listener != nil {
		s.listener.Close()
	}
	for _, c := range s.conns() {
		c.Close()
	}
}

// serve plays turns on one connection until one ends it, or the other end does.
func (s *site) serve(c net.Conn) {
	defer c.Close()
	p := &peer{site: s, raw: c, conn: c, r: bufio.NewReader(c)}
	t, ok := s.take(atAccept)
	if ok {
		t.serve(p)
		return
	}
	if _, err := p.r.Peek(1); err != nil {
		return
	}
	if t, ok = s.take(atByte); ok {
		t.serve(p)
		return
	}
	h2 := s.h2
	if s.tls != nil {
		if h2, ok = p.secure(); !ok {
			return
		}
	}
	if h2 {
		p.serveHTTP2()
		return
	}
	for !p.over && p.request() {
	}
}

// peer is the site's end of one connection. On HTTP/2 there is one for each stream.
type peer struct {
	site *site
	raw  net.Conn // below TLS
	conn net.Conn
	r    *bufio.Reader
	req  *http.Request
	over bool

	frames *http2.Framer
	write  *sync.Mutex // of frames
	stream uint32
}

// secure does TLS, and says whether HTTP/2 was agreed on. What the raw connection's reader holds
// already is read first.
func (p *peer) secure() (h2, ok bool) {
	c := tls.Server(&ahead{p.raw, p.r}, p.site.tls)
	if c.Handshake() != nil {
		return false, false
	}
	p.conn, p.r = c, bufio.NewReader(c)
	return c.ConnectionState().NegotiatedProtocol == "h2", true
}

// ahead is a connection whose reader may hold bytes already.
type ahead struct {
	net.Conn
	r io.Reader
}

func (a *ahead) Read(p []byte) (int, error) { return a.r.Read(p) }

// request reads one request of HTTP/1 and plays the turn for it; false is the end of the connection.
func (p *peer) request() bool {
	req, err := http.ReadRequest(p.r)
	if err != nil {
		return false
	}
	r := seen{method: req.Method, path: req.URL.Path, key: req.Header.Get("Idempotency-Key"), credentials: req.Header.Get("Authorization")}
	t, early := p.site.take(atHeader)
	if !early {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return false
		}
		r.body = string(body)
	}
	p.site.saw(r)
	p.req = req
	if !early {
		var ok bool
		if t, ok = p.site.take(atRequest); !ok {
			p.site.lab.t.Errorf("a request came to %s out of turn", p.site.ip)
			return false
		}
	}
	t.serve(p)
	return true
}

// Write writes to the connection, and counts.
func (p *peer) Write(b []byte) (int, error) {
	n, err := p.conn.Write(b)
	p.site.mu.Lock()
	p.site.sent += int64(n)
	p.site.mu.Unlock()
	return n, err
}
