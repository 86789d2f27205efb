package conn_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// TestHops makes two exchanges in one attempt, as a redirect does: connect runs anew for each, evidence
// and reason are the last one's, and the phases go on summing up.
func TestHops(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		other := "192.0.2.2:80"
		slowly := func(text string) func(c *memnet.Conn, r *bufio.Reader) {
			return func(c *memnet.Conn, r *bufio.Reader) {
				request(r)
				time.Sleep(4 * time.Second)
				io.WriteString(c, text)
				r.ReadByte()
			}
		}
		w.script(address, slowly("HTTP/1.1 302 Found\r\nContent-Length: 5\r\n\r\nthere"))
		w.script(other, slowly(""))
		start := time.Now()
		c := w.Start(w.t.Context(), standard)
		resp, err := c.RoundTrip(route(), newRequest("GET", address), false)
		if err != nil || resp.StatusCode != 302 {
			w.t.Fatal(err)
		}
		next := route()
		next.Address = other
		_, err = c.RoundTrip(next, newRequest("GET", other), false) // the first body is left unread
		a := c.End(err)
		if a.Reason != probe.ReasonLimitSockRead || a.Evidence != probe.Unanswered || a.RemoteAddress != other || a.Phases[probe.PhaseWait] != 14*time.Second || time.Since(start) != 14*time.Second {
			w.t.Errorf("got %+v after %v", a, time.Since(start))
		}
	})
}

// TestVerdictOfTheKind has the kind find a failure: what cut the attempt beats it, and nothing else does.
func TestVerdictOfTheKind(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, saying("HTTP/1.1 503 No\r\nContent-Length: 9\r\n\r\nhello", stay))
		failure := &conn.Failure{Reason: probe.ReasonStatus, Transient: true, Err: errors.New("status 503, want 2xx")}
		for _, read := range []bool{false, true} {
			c := w.Start(w.t.Context(), standard)
			resp, err := c.RoundTrip(route(), newRequest("GET", address), true)
			if err != nil {
				w.t.Fatal(err)
			}
			want := probe.ReasonStatus
			if read {
				io.Copy(io.Discard, resp.Body)
				want = probe.ReasonLimitSockRead
			}
			if a := c.End(failure); a.Reason != want || !a.Transient || a.Evidence != probe.Answered {
				w.t.Errorf("read %v: got %q: %v", read, a.Reason, a.Err)
			}
		}
	})
}

// TestRequestIsWrong has the HTTP client refuse to send: no fault of the target's.
func TestRequestIsWrong(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, answering(ok200))
		for _, v := range []conn.Version{conn.V1, conn.H2C} {
			r := route()
			r.Version = v
			req := newRequest("GET", address)
			req.Header["Bad Name"] = []string{"x"}
			c := w.Start(w.t.Context(), standard)
			_, err := c.RoundTrip(r, req, false)
			if a := c.End(err); v == conn.V1 && (a.Reason != probe.ReasonConfig || a.Evidence != probe.NeverSent) {
				w.t.Errorf("%s: got %q, %v: %v", v, a.Reason, a.Evidence, a.Err)
			}
		}
	})
}

func TestHTTP2OverTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, r.Proto)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	n := conn.New(conn.Options{})
	defer n.Close()
	config := &tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	for version, proto := range map[conn.Version]string{conn.Auto: "HTTP/2.0", conn.V2: "HTTP/2.0", conn.V1: "HTTP/1.1"} {
		r := &conn.Route{Address: strings.TrimPrefix(s.URL, "https://"), Connection: kept, Version: version, TLS: &conn.TLS{Config: config, Key: "a"}}
		for i := range 3 {
			got := attempt(t, n, try{route: r, limits: standard, method: "POST", body: strings.Repeat("x", 1+i*100000)})
			if !got.OK || got.text != proto || got.Reused != (i > 0) || got.TLS == nil || got.TLS.LastChainExpiry.IsZero() {
				t.Errorf("%s: got %q, reused %v, %v", version, got.text, got.Reused, got.Err)
			}
		}
		other := *r
		other.TLS = &conn.TLS{Config: config, Key: "b"}
		if got := attempt(t, n, try{route: &other, limits: standard}); got.Reused {
			t.Error("two TLS keys shared a connection")
		}
	}
}

// TestGoroutines holds what a thousand attempts in progress cost beside the caller: no goroutine.
func TestGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, conn.Options{})
		const runs = 1000
		servers := make(chan struct{})
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			request(r)
			<-servers
			io.WriteString(c, ok200)
		})
		before := runtime.NumGoroutine()
		done := make(chan tried)
		for range runs {
			go func() { done <- w.get(route()) }()
		}
		synctest.Wait()
		// Of each run: its caller, and its server.
		if each := float64(runtime.NumGoroutine()-before) / runs; each > 2.01 {
			t.Errorf("%.2f goroutines a run, want 2", each)
		}
		close(servers)
		for range runs {
			if got := <-done; !got.OK {
				t.Errorf("got %v", got.Err)
			}
		}
		w.end()
	})
}
