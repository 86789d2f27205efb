package conn_test

import (
	"testing"
	"time"

	"sonde/probe"
)

// TestStalledNeighbour has one of two requests on an HTTP/2 connection cut by a limit while its own prober does not
// get on. The other one, whose answer is on its way, has nothing to do with it.
func TestStalledNeighbour(t *testing.T) {
	for _, phase := range []string{"header", "body"} {
		inBubbleNamed(t, "waiting for its "+phase, func(w *world) {
			w.http2Script(func(p *peer) {
				p.answer() // opens the connection
				first := p.stream()
				p.header(first, false, ":status", "200")
				second := p.stream()
				if phase == "body" {
					p.header(second, false, ":status", "200")
				}
				time.Sleep(20 * time.Second)
				if phase == "header" {
					p.header(second, false, ":status", "200")
				}
				p.WriteData(second, true, []byte("hello"))
				p.rest()
			})
			r := h2cRoute()
			if a := w.get(r); !a.OK {
				t.Fatalf("%s: %v", a.Reason, a.Err)
			}
			go func() {
				c := w.Start(w.t.Context(), probe.Limits{Total: 5 * time.Second})
				resp, err := c.RoundTrip(r, newRequest("GET", address), false)
				if err == nil {
					time.Sleep(10 * time.Second) // the prober does not get on
					_, err = resp.Body.Read(make([]byte, 1))
				}
				c.End(err)
			}()
			time.Sleep(time.Second)
			a := w.try(try{route: r, limits: probe.Limits{Total: 40 * time.Second}})
			if !a.OK || !a.Reused {
				t.Errorf("reused %v, %s, evidence %v: %v", a.Reused, a.Reason, a.Evidence, a.Err)
			}
		})
	}
}
