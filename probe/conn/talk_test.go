package conn_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// dialed makes an attempt with a protocol of the test's own.
func (w *world) dialed(r *conn.Route, talk func(c net.Conn) error) tried {
	start := time.Now()
	c := w.Start(w.t.Context(), standard)
	nc, err := c.Dial(r)
	if err == nil {
		err = talk(nc)
	}
	out := tried{Attempt: c.End(err), took: time.Since(start)}
	checkRecord(w.t, out)
	return out
}

func TestDial(t *testing.T) {
	greeting := func(c net.Conn) error {
		_, err := io.ReadFull(c, make([]byte, 5))
		return err
	}
	after := func(d time.Duration, text string) func(c *memnet.Conn, r *bufio.Reader) {
		return func(c *memnet.Conn, r *bufio.Reader) {
			time.Sleep(d)
			io.WriteString(c, text)
			r.ReadString('\n')
		}
	}
	for _, row := range []struct {
		name     string
		serve    func(c *memnet.Conn, r *bufio.Reader)
		talk     func(c net.Conn) error
		reason   probe.Reason
		phase    probe.Phase
		evidence probe.Evidence
		took     time.Duration
	}{
		{"greets", after(9*time.Second, "hello"), greeting, "", 0, probe.Answered, 9 * time.Second},
		{"closes", after(0, "hel"), func(c net.Conn) error {
			io.WriteString(c, "x\n")
			return greeting(c)
		}, probe.ReasonDisconnected, probe.PhaseTransfer, probe.Answered, 0},
		{"is silent", after(time.Hour, ""), greeting, probe.ReasonLimitSockRead, probe.PhaseWait, probe.NeverSent, 10 * time.Second},
		{"is silent after a few bytes", after(9*time.Second, "hel"), greeting, probe.ReasonLimitSockRead, probe.PhaseTransfer, probe.Answered, 19 * time.Second},
		{"is silent after a send", after(time.Hour, ""), func(c net.Conn) error {
			time.Sleep(9 * time.Second)
			io.WriteString(c, "x\n")
			return greeting(c)
		}, probe.ReasonLimitSockRead, probe.PhaseWait, probe.Unanswered, 19 * time.Second},
		{"does not read", func(c *memnet.Conn, r *bufio.Reader) { time.Sleep(time.Hour) }, func(c net.Conn) error {
			_, err := c.Write(make([]byte, 1<<20))
			return err
		}, probe.ReasonLimitTotal, probe.PhaseWrite, probe.Unanswered, 30 * time.Second},
		{"says another thing", after(0, "howdy"), func(c net.Conn) error {
			greeting(c)
			return &conn.Failure{Reason: probe.ReasonAssertion, Err: errors.New("got howdy")}
		}, probe.ReasonAssertion, probe.PhaseTransfer, probe.Answered, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, conn.Options{}, func(w *world) {
				w.script(address, row.serve)
				got := w.dialed(route(), row.talk)
				if got.Reason != row.reason || got.Phase != row.phase || got.Evidence != row.evidence || got.took != row.took {
					t.Errorf("got %q in %v, %v, after %v: %v", got.Reason, got.Phase, got.Evidence, got.took, got.Err)
				}
				if got.RemoteAddress != address {
					t.Errorf("got address %q", got.RemoteAddress)
				}
				time.Sleep(time.Hour)
			})
		})
	}
}

// The error of an attempt tells a peer that has closed from one that broke off.
func TestClosedIsNotReset(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(c *memnet.Conn){
		"closes": func(c *memnet.Conn) { c.Close() }, "resets": (*memnet.Conn).Abort, "is silent": func(*memnet.Conn) {},
	} {
		inBubbleNamed(t, name, func(w *world) {
			w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
				io.WriteString(c, "hello")
				time.Sleep(time.Second)
				end(c)
				r.ReadString('\n')
			})
			got := w.dialed(route(), func(c net.Conn) (err error) {
				for err == nil {
					_, err = c.Read(make([]byte, 64))
				}
				return err
			})
			if closed := conn.Closed(got.Err); closed != (name == "closes") {
				t.Errorf("it has closed: %t, by the error %v", closed, got.Err)
			}
		})
	}
}
