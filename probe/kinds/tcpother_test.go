package kinds

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/retry"
)

// TestTCPOtherTextWhicheverEndsTheWait holds that a peer that has said something else is told by what it said,
// not as a slow one, whichever limit or deadline is the first to pass.
func TestTCPOtherTextWhicheverEndsTheWait(t *testing.T) {
	t.Parallel()
	const said = `received "220 mail\r\n", want a match of "^250 "`
	const silence = "no byte for 10s while waiting for what the peer says"
	type outcome struct {
		Verdict   probe.Verdict
		Reason    probe.Reason
		Stop      retry.Stop
		Attempt   probe.Reason
		Transient bool
		Err       string
	}
	other, mute := []string{"220 mail\r\n", waits}, []string{waits}
	drips := []string{"220 m", "a", "i", "l", "\r\n", waits}
	before := []string{"220 mail\r\n", reads, waits}
	for _, test := range []struct {
		name            string
		peer            []string
		steps           []string
		total           time.Duration
		deadline, batch time.Duration
		want            outcome
	}{
		{"sock_read", other, nil, 30 * time.Second, 0, 0,
			outcome{probe.Down, probe.ReasonAssertion, retry.StopAttempts, probe.ReasonAssertion, true, said}},
		{"total", other, nil, 2 * time.Second, 0, 0,
			outcome{probe.Down, probe.ReasonAssertion, retry.StopAttempts, probe.ReasonAssertion, true, `received "220 mail\r\n" before limit total (2s) passed, want a match of "^250 "`}},
		{"total, while it drips", drips, nil, 4500 * time.Millisecond, 0, 0,
			outcome{probe.Down, probe.ReasonAssertion, retry.StopAttempts, probe.ReasonAssertion, true, `received "220 mail\r\n" before limit total (4.5s) passed, want a match of "^250 "`}},
		{"the run's deadline", other, nil, 30 * time.Second, 5 * time.Second, 0,
			outcome{probe.Down, probe.ReasonDeadline, retry.StopDeadline, probe.ReasonAssertion, true, said}},
		{"the batch's", other, nil, 30 * time.Second, 0, 5 * time.Second,
			outcome{probe.Unknown, probe.ReasonDeadline, retry.StopBatchDeadline, probe.ReasonDeadline, false,
				"the batch's deadline has passed while waiting for what the peer says; " + said}},
		{"silence, by total", mute, nil, 2 * time.Second, 0, 0,
			outcome{probe.Down, probe.ReasonLimitTotal, retry.StopAttempts, probe.ReasonLimitTotal, true, "limit total (2s) passed while waiting for what the peer says"}},
		{"silence after a send, by total", before, []string{"^220", ">EHLO x\n", "^250 "}, 2 * time.Second, 0, 0,
			outcome{probe.Down, probe.ReasonLimitTotal, retry.StopAttempts, probe.ReasonLimitTotal, true, "limit total (2s) passed while waiting for what the peer says"}},
		{"silence after a send, by sock_read", before, []string{"^220", ">EHLO x\n", "^250 "}, 30 * time.Second, 0, 0,
			outcome{probe.Down, probe.ReasonLimitSockRead, retry.StopAttempts, probe.ReasonLimitSockRead, true, "limit sock_read: " + silence}},
		{"silence, by the deadline", mute, nil, 30 * time.Second, 5 * time.Second, 0,
			outcome{probe.Down, probe.ReasonDeadline, retry.StopDeadline, probe.ReasonDeadline, false, "the run's deadline has passed while waiting for what the peer says"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(w *world) {
				w.serve(here, script(w, test.peer))
				if test.steps == nil {
					test.steps = []string{"^250 "}
				}
				env := standard
				env.Limits.Total = test.total
				engine := half()
				if test.batch > 0 {
					engine.End = time.Now().Add(test.batch)
				}
				p := &probe.Probe{Name: "p", Policy: retry.Policy{Attempts: 1, Deadline: test.deadline}, Prober: prober(t, w.tcp(test.steps...), env)}
				r := p.Run(context.Background(), engine, probe.Sinks{})
				a := r.Last()
				got := outcome{r.Verdict, r.Reason, r.Stop, a.Reason, a.Transient, a.Err.Error()}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			})
		})
	}
}
