package conn_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// TestNeverSentIsNeverThere cuts requests at any instant, on real sockets: a server has not seen a byte of one that
// was called never_sent, and that is what lets a POST be sent again.
func TestNeverSentIsNeverThere(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t)
	config := &tls.Config{Certificates: []tls.Certificate{ours.certificate(t, "127.0.0.1", time.Now().Add(-time.Hour))}}
	for _, how := range []string{"plain", "TLS", "h2c"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if how == "TLS" {
			l = tls.NewListener(l, config)
		}
		seen := &seen{paths: map[string]bool{}}
		served := seen.serve(l)
		n := conn.New(conn.Options{})
		r := &conn.Route{Address: l.Addr().String(), Connection: kept}
		if how == "h2c" {
			r.Version = conn.H2C
		}
		if how == "TLS" {
			r.TLS = &conn.TLS{Config: &tls.Config{RootCAs: ours.pool}, Key: "a"}
		}
		var unsent []string
		for i := range 400 {
			path := fmt.Sprintf("/%d/", i)
			if cutAt(t, n, r, path, []int{10 << 10, 200 << 10}[i%2], time.Duration(i)*10*time.Microsecond).Evidence == probe.NeverSent {
				unsent = append(unsent, path)
			}
		}
		n.Close()
		l.Close()
		served.Wait()
		for _, path := range unsent {
			if seen.paths[path] {
				t.Errorf("%s: the server has seen %s, which was called never_sent", how, path)
			}
		}
		t.Logf("%s: %d of 400 were never sent", how, len(unsent))
	}
}

// cutAt posts a body, and is cut after a while.
func cutAt(t *testing.T, n *conn.Network, r *conn.Route, path string, size int, after time.Duration) probe.Attempt {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer time.AfterFunc(after, func() { cancel(errors.New("cut")) }).Stop()
	c := n.Start(ctx, standard)
	req := newRequest("POST", r.Address)
	req.URL.Path = path
	req.Body, req.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat("x", size))), int64(size)
	resp, err := c.RoundTrip(r, req, false)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	return c.End(err)
}

// seen are the paths of requests of which a server has had some.
type seen struct {
	mu    sync.Mutex
	paths map[string]bool
}

// serve notes what comes to a listener, and answers it, until that is closed.
func (s *seen) serve(l net.Listener) *sync.WaitGroup {
	served := &sync.WaitGroup{}
	server := &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0), Protocols: new(http.Protocols)}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	served.Go(func() {
		server.Serve(l)
		server.Shutdown(context.Background())
	})
	return served
}

// ServeHTTP notes the path of a request, whatever becomes of the rest.
func (s *seen) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	s.paths[req.URL.Path] = true
	s.mu.Unlock()
	io.Copy(io.Discard, req.Body)
}
