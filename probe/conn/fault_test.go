package conn

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// TestWhoseFault has the process lose time in an attempt at a silent target, in one piece or in many.
func TestWhoseFault(t *testing.T) {
	const ms = time.Millisecond
	deadline, limit := retry.Policy{Attempts: 1, Deadline: 900 * ms}, retry.Policy{Attempts: 1}
	const away, home = "192.0.2.1:80", "127.0.0.1:80"
	for _, row := range []struct {
		name   string
		at     string
		policy retry.Policy
		pieces int
		piece  time.Duration
		late   time.Duration
		reason probe.Reason
	}{
		{"deadline", away, deadline, 0, 0, 0, probe.ReasonDeadline},
		{"deadline, a stall", away, deadline, 1, 500 * ms, 500 * ms, probe.ReasonProberLate},
		{"deadline, a short stall", away, deadline, 1, 200 * ms, 200 * ms, probe.ReasonDeadline},
		{"deadline, a busy machine", away, deadline, 60, 10 * ms, 600 * ms, probe.ReasonDeadline},
		{"deadline, at home", home, deadline, 0, 0, 0, probe.ReasonDeadline},
		{"deadline, a short stall at home", home, deadline, 1, 200 * ms, 200 * ms, probe.ReasonProberLate},
		{"deadline, a very short stall at home", home, deadline, 1, 140 * ms, 140 * ms, probe.ReasonDeadline},
		{"deadline, a busy machine at home", home, deadline, 60, 10 * ms, 600 * ms, probe.ReasonDeadline},
		{"deadline, a very busy machine at home", home, deadline, 10, 60 * ms, 600 * ms, probe.ReasonProberLate},
		{"limit", away, limit, 0, 0, 0, probe.ReasonLimitSockRead},
		{"limit, a stall", away, limit, 1, 2 * time.Second, 2 * time.Second, probe.ReasonLimitSockRead},
		{"limit, a stall that is longer than all else", away, limit, 1, 9 * time.Second, 9 * time.Second, probe.ReasonLimitSockRead},
		{"limit, a busy machine", away, limit, 900, 10 * ms, 7 * time.Second, probe.ReasonLimitSockRead},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, r, done := greeterAt(row.at, "")
				defer done()
				p := probe.Probe{Policy: row.policy, Prober: proberFunc(func(ctx context.Context) probe.Attempt {
					c := n.Start(ctx, probe.Limits{SockRead: time.Second})
					nc, err := c.Dial(r)
					if err != nil {
						t.Fatal(err)
					}
					time.Sleep(100 * ms)
					for range row.pieces {
						n.watch.lose(row.piece)
					}
					_, err = nc.Read(make([]byte, 1))
					return c.End(err)
				})}
				a := p.Run(t.Context(), &retry.Engine{}, probe.Sinks{}).Last()
				if a.Reason != row.reason || a.Late != row.late {
					t.Errorf("got %q, late by %v, want %q, late by %v: %v", a.Reason, a.Late, row.reason, row.late, a.Err)
				}
			})
		})
	}
}

type proberFunc func(ctx context.Context) probe.Attempt

func (f proberFunc) Probe(ctx context.Context, _ probe.Try) probe.Attempt { return f(ctx) }

// TestPassedAfterTheEnd has an attempt pass after the run's end, which nothing has cut: whoever was late, the
// target has answered.
func TestPassedAfterTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, r, done := greeter("hello")
		defer done()
		c := n.Start(t.Context(), probe.Limits{})
		// The timer of the run's end has not got round to it.
		c.span = retry.Span{Began: c.start, Due: c.start, End: c.start.Add(time.Second), Cause: retry.ErrDeadline}
		c.bound, c.ends = true, time.Second
		nc, err := c.Dial(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(nc, make([]byte, 5)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond)
		if a := c.End(nil); !a.OK || a.Reason != "" || a.Late != 0 {
			t.Errorf("got ok %v, %q, late by %v, want a pass", a.OK, a.Reason, a.Late)
		}
	})
}

// TestAfterAStall has a stall that is longer than any limit: after it a target has all of its time.
func TestAfterAStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, r, done := greeter("")
		defer done()
		c := n.Start(t.Context(), probe.Limits{SockRead: time.Second, Total: 2 * time.Second})
		nc, err := c.Dial(r)
		if err != nil {
			t.Fatal(err)
		}
		n.watch.lose(20 * time.Second)
		time.Sleep(20*time.Second + 900*time.Millisecond) // what the stall took, too
		if c.ctx.Err() != nil {
			t.Errorf("900ms after a stall of 20s: %v", context.Cause(c.ctx))
		}
		_, err = nc.Read(make([]byte, 1))
		if a := c.End(err); a.Reason != probe.ReasonLimitSockRead || c.now() != 21*time.Second {
			t.Errorf("got %q after %v, want limit_sock_read after 21s", a.Reason, c.now())
		}
	})
}

// TestLatePass has an attempt pass after the time that its limit says, for we did not get on meanwhile: the record
// says so. Of one that passes in its time it says nothing.
func TestLatePass(t *testing.T) {
	t.Parallel()
	for total, want := range map[time.Duration]time.Duration{time.Second: 2 * time.Second, 10 * time.Second: 0} {
		synctest.Test(t, func(t *testing.T) {
			n, r, done := greeter("hello")
			defer done()
			c := n.Start(t.Context(), probe.Limits{Total: total})
			nc, err := c.Dial(r)
			if err != nil {
				t.Fatal(err)
			}
			n.watch.lose(2 * time.Second)
			time.Sleep(2500 * time.Millisecond) // in which we did not get on for 2s
			_, err = io.ReadFull(nc, make([]byte, 5))
			if a := c.End(err); !a.OK || a.Late != want {
				t.Errorf("total %v: got %q, late by %v, want a pass, late by %v: %v", total, a.Reason, a.Late, want, a.Err)
			}
		})
	}
}
