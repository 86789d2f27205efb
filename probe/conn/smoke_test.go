package conn_test

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

func TestReuse(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, answering(ok200))
		r := route()
		first, second := w.get(r), w.get(r)
		if first.Reused || !second.Reused || second.text != "hello" || !second.OK {
			t.Errorf("got %+v then %+v", first, second)
		}
		time.Sleep(14 * time.Second)
		if !w.get(r).Reused {
			t.Error("not kept for 14s")
		}
		time.Sleep(16 * time.Second)
		if w.get(r).Reused {
			t.Error("kept for 16s")
		}
	})
}

func TestHeaderSilence(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			request(r)
			request(r)
		})
		got := w.get(route())
		if got.Reason != probe.ReasonLimitSockRead || got.Phase != probe.PhaseWait || got.took != 10*time.Second || got.Evidence != probe.Unanswered {
			t.Errorf("got %+v", got)
		}
	})
}

func TestHTTP2Loopback(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, r.Proto)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	n := conn.New(conn.Options{})
	defer n.Close()
	r := &conn.Route{Address: strings.TrimPrefix(s.URL, "https://"), Connection: kept, TLS: &conn.TLS{Config: s.Client().Transport.(*http.Transport).TLSClientConfig, Key: "a"}}
	for i := range 3 {
		got := attempt(t, n, try{route: r, limits: standard, body: strings.Repeat("x", i*100000), method: "POST"})
		if !got.OK || got.text != "HTTP/2.0" || got.Reused != (i > 0) {
			t.Errorf("got %+v", got)
		}
	}
	v1 := *r
	v1.Version = conn.V1
	if got := attempt(t, n, try{route: &v1, limits: standard}); got.text != "HTTP/1.1" {
		t.Errorf("got %+v", got)
	}
}

func TestH2C(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		l := w.mem.Listen(address)
		var p http.Protocols
		p.SetUnencryptedHTTP2(true)
		s := &http.Server{Protocols: &p, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "PUT" {
				<-r.Context().Done()
				return
			}
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
			time.Sleep(9 * time.Second)
			io.WriteString(w, r.Proto)
		})}
		go s.Serve(l)
		defer s.Close()
		r := route()
		r.Version = conn.H2C
		for i := range 3 {
			got := w.get(r)
			if !got.OK || got.text != "HTTP/2.0" || got.Reused != (i > 0) || got.took != 9*time.Second {
				t.Errorf("got %+v", got)
			}
		}
		got := w.try(try{route: r, limits: standard, method: "PUT", body: "x"})
		if got.Reason != probe.ReasonLimitSockRead || got.Evidence != probe.Unanswered || got.took != 10*time.Second {
			t.Errorf("got %+v", got)
		}
	})
}
func TestRefusedAndStale(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		if got := w.get(route()); got.Reason != probe.ReasonConnectRefused || got.Evidence != probe.NeverSent || len(got.Addresses) != 1 {
			t.Errorf("got %+v", got)
		}
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			request(r)
			io.WriteString(c, ok200)
			request(r)
		})
		w.get(route())
		if got := w.get(route()); got.Reason != probe.ReasonStaleConnection || !got.Stale || got.Evidence != probe.Unanswered {
			t.Errorf("got %+v", got)
		}
	})
}
