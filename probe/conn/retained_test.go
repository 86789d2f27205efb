package conn_test

import (
	"bufio"
	"crypto/tls"
	"net"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// Nobody holds a connection that is gone, with its TLS and its buffers, whatever it spoke and however it went: no
// timer, no list, and no shelf of a route that is used on. A probe whose interval is longer than its idle_timeout
// leaves one behind with each run.
func TestNobodyHoldsAConnectionThatIsGone(t *testing.T) {
	ca := newAuthority(t)
	cert := ca.certificate(t, "192.0.2.1", bubbleStart.Add(-time.Hour))
	for _, protocol := range []string{"http/1.1", "h2"} {
		for end, goes := range ends {
			config := &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{protocol}}
			t.Run("with TLS, "+protocol+" "+end, func(t *testing.T) {
				inBubble(t, conn.Options{}, func(w *world) {
					r := route()
					r.TLS = &conn.TLS{Config: &tls.Config{RootCAs: ca.pool}, Key: "a"}
					w.forgets(r, protocol, func(c net.Conn) *tls.Conn { return tls.Server(c, config) }, goes)
				})
			})
			inBubbleNamed(t, protocol+" "+end, func(w *world) {
				r := route()
				if protocol == "h2" {
					r.Version = conn.H2C
				}
				w.forgets(r, protocol, nil, goes)
			})
		}
	}
}

// going is what it takes to have kept connections of a route go.
type going struct {
	*world
	route  *conn.Route
	use    *conn.Use
	hangUp chan struct{} // is closed to have the peer hang up
}

// hungUp has the peer hang up all connections that there are.
func (g *going) hungUp() {
	close(g.hangUp)
	synctest.Wait()
	g.hangUp = nil
}

// ends are the ways in which connections go.
var ends = map[string]func(g *going){
	"unwanted":      func(g *going) { g.use.Rest() },
	"for too long":  func(g *going) { time.Sleep(kept.IdleTimeout) },
	"hung up":       func(g *going) { g.hungUp(); g.get(g.route) },
	"net is closed": func(g *going) { g.Network.Close() },
}

// forgets has connections of a route made, and go, and looks who holds them then.
func (w *world) forgets(r *conn.Route, protocol string, secure func(c net.Conn) *tls.Conn, goes func(g *going)) {
	g := &going{w, r, w.Use(r), make(chan struct{})}
	w.script(address, g.serve(protocol, secure))
	for range 3 {
		if got := w.try(try{route: r, limits: standard, fresh: true}); !got.OK {
			w.t.Fatal(got.Err)
		}
	}
	alive := w.Alive()
	if n := alive(); n != 3 {
		w.t.Errorf("%d connections are kept, want 3", n)
	}
	goes(g)
	time.Sleep(lingers)
	synctest.Wait()
	if n := alive(); n != 0 {
		w.t.Errorf("%d of 3 connections are held after they have gone, want none", n)
	}
	runtime.KeepAlive(g)
}

// lingers is for how long Go's HTTP/2 client holds a connection that it has been told to close; the timers that we
// have stopped are dropped with the first step of time.
const lingers = 5 * time.Second

// serve answers one request on each connection, and stays until either side hangs up.
func (g *going) serve(protocol string, secure func(c net.Conn) *tls.Conn) func(c *memnet.Conn, r *bufio.Reader) {
	one := map[string]func(c net.Conn, r *bufio.Reader) error{"http/1.1": serveOne, "h2": serveOneHTTP2}[protocol]
	return func(c *memnet.Conn, r *bufio.Reader) {
		var on net.Conn = c
		if secure != nil {
			on = secure(c)
			r = bufio.NewReader(on)
		}
		over := make(chan struct{})
		go func() { one(on, r); close(over) }()
		select {
		case <-g.hangUp:
		case <-over:
		}
	}
}
