package conn_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// Nobody is to blame for a connection that panics when it is closed for having been idle.
func TestPanicOfAnIdleConnection(t *testing.T) {
	t.Parallel()
	for version, serve := range map[conn.Version]func(w *world){
		conn.V1:  func(w *world) { w.script(address, answering(ok200)) },
		conn.H2C: func(w *world) { w.http2Script((*peer).echoAll) },
	} {
		t.Run(string(version), func(t *testing.T) {
			inCracked(t, &brittle{at: "close"}, func(w *world, s *strays) {
				serve(w)
				r := route()
				r.Version = version
				a := &asker{net: w.Network, route: r}
				a.passes(w)
				time.Sleep(kept.IdleTimeout)
				synctest.Wait()
				s.want(w.t, 1)
				a.mends(w, s)
			})
		})
	}
}

// mute is a connection that takes nothing once it is told so, and panics when it is closed.
type mute struct {
	net.Conn
	muted  atomic.Bool
	closed chan struct{}
}

func (m *mute) Write(p []byte) (int, error) {
	if m.muted.Load() {
		<-m.closed
		return 0, net.ErrClosed
	}
	return m.Conn.Write(p)
}

func (m *mute) Close() error {
	select {
	case <-m.closed:
		return nil
	default:
	}
	close(m.closed)
	m.Conn.Close()
	panic("a bug")
}

// TLS has so long to say goodbye, and then a timer closes the socket.
func TestPanicOfAGoodbye(t *testing.T) {
	ca := newAuthority(t)
	cert := ca.certificate(t, "192.0.2.1", bubbleStart.Add(-time.Hour))
	var mem *memnet.Net
	var s strays
	var first *mute
	dial := func(ctx context.Context, network, to string) (net.Conn, error) {
		c, err := mem.Dial(ctx, network, to)
		if err == nil && first == nil {
			first = &mute{Conn: c, closed: make(chan struct{})}
			c = first
		}
		return c, err
	}
	inBubble(t, conn.Options{Dial: dial, Bug: s.add}, func(w *world) {
		mem = w.mem
		w.script(address, func(c *memnet.Conn, _ *bufio.Reader) {
			t := tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}})
			for r := bufio.NewReader(t); ; {
				if _, err := request(r); err != nil {
					return
				}
				io.WriteString(t, ok200)
			}
		})
		r := route()
		r.Version, r.TLS = conn.V1, &conn.TLS{Config: &tls.Config{RootCAs: ca.pool}, Key: "a"}
		a := &asker{net: w.Network, route: r}
		a.passes(w)
		first.muted.Store(true)
		time.Sleep(kept.IdleTimeout + time.Second)
		s.want(w.t, 1)
		a.mends(w, &s)
	})
}

// Who waits for a connection gets it, also when the one that makes room for it panics as it is closed.
func TestPanicWhileOthersWait(t *testing.T) {
	inCracked(t, &brittle{at: "close"}, func(w *world, s *strays) {
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			request(r)
			time.Sleep(time.Second)
			io.WriteString(c, ok200)
		})
		r := &conn.Route{Address: address, Connection: probe.Connection{PerHost: 1}}
		first, second := make(chan *probe.Result, 1), make(chan *probe.Result, 1)
		a := &asker{net: w.Network, route: r, limits: standard}
		go func() { first <- a.run(w.t.Context()) }()
		time.Sleep(time.Millisecond)
		go func() { second <- a.run(w.t.Context()) }()
		internal(w.t, <-first)
		if r := <-second; r.Verdict != probe.Up || r.Duration != 2*time.Second-time.Millisecond {
			t.Errorf("who waited is %s after %v, want up as soon as may be: %v", r.Verdict, r.Duration, r.Err)
		}
		a.mends(w, s)
	})
}
