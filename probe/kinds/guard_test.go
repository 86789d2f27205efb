package kinds

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
	"sonde/probe/retry"
)

// A prober that panics leaves nothing behind: with one connection to the host, the next attempt gets it.
func TestAPanicLeavesTheConnectionFree(t *testing.T) {
	t.Parallel()
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		inBubble(t, func(w *world) {
			w.handle(here, func(rw http.ResponseWriter, _ *http.Request) { io.WriteString(rw, "hello") })
			s := w.http("http://" + here + "/")
			broken := prober(t, s, alone).(*httpProber)
			broken.httpExtras = &httpExtras{rules: &bodyChecks{max: 1 << 20, matches: []*regexp.Regexp{nil}}}
			w.panics(broken)
			w.passes(prober(t, s, alone))
		})
	})
	t.Run("tcp", func(t *testing.T) {
		t.Parallel()
		inBubble(t, func(w *world) {
			w.serve(here, func(c *memnet.Conn, r *bufio.Reader) {
				io.WriteString(c, "hello\n")
				r.ReadByte()
			})
			s := newTCP(w.house()).(*TCP)
			s.Address = here
			broken := prober(t, s, alone).(*tcpProber)
			broken.dialogue = []dialogueStep{{expect: new(regexp.Regexp)}}
			w.panics(broken)
			w.passes(prober(t, s, alone))
		})
	})
}

// alone is the environment of a probe that may have one connection to its host.
var alone = func() probe.Env {
	env := standard
	env.Connection.PerHost = 1
	return env
}()

// panics makes runs of a prober that panics, each of which is the prober's own fault.
func (w *world) panics(p probe.Prober) {
	w.t.Helper()
	for range 2 {
		began := time.Now()
		r := (&probe.Probe{Name: "p", Prober: p}).Run(context.Background(), new(retry.Engine), probe.Sinks{})
		if r.Reason != probe.ReasonInternal || time.Since(began) > time.Second {
			w.t.Fatalf("the run ended for %q after %v, want %s at once: %v", r.Reason, time.Since(began), probe.ReasonInternal, r.Err)
		}
	}
}

func (w *world) passes(p probe.Prober) {
	w.t.Helper()
	if a := p.Probe(context.Background(), probe.Try{Number: 1}); !a.OK {
		w.t.Errorf("the next attempt failed for %s: %v", a.Reason, a.Err)
	}
}

// brokenEnd is a call whose end panics.
type brokenEnd struct {
	conn.Caller
	ends int
}

func (b *brokenEnd) End(error) probe.Attempt {
	b.ends++
	panic("a bug")
}

// A call is ended once, also when that panics: package conn lets go of all that it has then, too.
func TestACallIsEndedOnce(t *testing.T) {
	t.Parallel()
	var call brokenEnd
	func() {
		defer func() {
			if v := recover(); v != "a bug" {
				t.Errorf("recovered %v, want a bug", v)
			}
		}()
		g := guarded{Caller: &call}
		defer g.guard()
		g.End(nil)
	}()
	if call.ends != 1 {
		t.Errorf("the call was ended %d times, want once", call.ends)
	}
}
