package probe_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

var errShutdown = errors.New("the program was told to end")

// TestRunErrors says of each end what the run's error matches and what it says: always the leaf, and of
// a run that was cut both what cut it and the last real error.
func TestRunErrors(t *testing.T) {
	t.Parallel()
	refused := fails(probe.ReasonConnectRefused)
	for _, c := range []struct {
		name    string
		change  func(*probe.Probe)
		batch   time.Duration
		cancel  error
		steps   []step
		matches []error
		not     []error
		text    string
	}{
		{
			name: "fails for ever", steps: []step{refused},
			matches: []error{syscall.ECONNREFUSED},
			not:     []error{context.DeadlineExceeded, context.Canceled},
			text:    "connect_refused: connecting to 192.0.2.1:80: connection refused (attempts: 4, stop: attempts)",
		},
		{
			name:    "an asked wait that is too long",
			steps:   []step{fails(probe.ReasonStatus).with(func(a *probe.Attempt) { a.Transient, a.Asked, a.HasAsked = true, 5*time.Minute, true })},
			change:  func(p *probe.Probe) { p.Policy.RetryAfter.Max = time.Minute },
			matches: []error{syscall.ECONNREFUSED},
			text: "status: connecting to 192.0.2.1:80: connection refused; it asks to wait 5m0s, " +
				"more than retry.retry_after.max 1m0s (attempts: 1, stop: retry_after_over_max)",
		},
		{
			name: "its deadline, after a failure", steps: []step{refused, hangs()},
			change:  func(p *probe.Probe) { p.Policy.Deadline = 5 * time.Second },
			matches: []error{context.DeadlineExceeded, retry.ErrDeadline, syscall.ECONNREFUSED},
			not:     []error{retry.ErrBatchDeadline, context.Canceled},
			text: "waiting for the response: the run's deadline has passed; the last failure before it: connect_refused: connecting to 192.0.2.1:80: connection refused " +
				"(attempts: 2, stop: deadline)",
		},
		{
			name: "its deadline alone", steps: []step{hangs()},
			change:  func(p *probe.Probe) { p.Policy.Deadline = 5 * time.Second },
			matches: []error{context.DeadlineExceeded, retry.ErrDeadline},
			text:    "waiting for the response: the run's deadline has passed (attempts: 1, stop: deadline)",
		},
		{
			name: "the batch's end", batch: 5 * time.Second, steps: []step{refused, hangs()},
			matches: []error{context.DeadlineExceeded, retry.ErrBatchDeadline, syscall.ECONNREFUSED},
			not:     []error{retry.ErrDeadline},
			text: "waiting for the response: the batch's deadline has passed; the last failure before it: connect_refused: connecting to 192.0.2.1:80: connection refused " +
				"(attempts: 2, stop: batch_deadline)",
		},
		{
			name: "a batch that was over", batch: -1, steps: []step{passes()},
			matches: []error{context.DeadlineExceeded, retry.ErrBatchDeadline},
			text:    "the batch's deadline has passed (attempts: 0, stop: batch_deadline)",
		},
		{
			name: "canceled in an attempt after a failure", cancel: errShutdown, steps: []step{refused, hangs()},
			matches: []error{context.Canceled, errShutdown, syscall.ECONNREFUSED},
			not:     []error{context.DeadlineExceeded},
			text: "context canceled: the program was told to end; the last failure before it: connect_refused: connecting to 192.0.2.1:80: " +
				"connection refused (attempts: 2, stop: canceled)",
		},
		{
			name: "canceled in a wait", cancel: errShutdown, steps: []step{refused.taking(500 * time.Millisecond)},
			matches: []error{context.Canceled, errShutdown, syscall.ECONNREFUSED},
		},
		{
			name: "transparent attempts are not counted", steps: []step{stale(), refused},
			matches: []error{syscall.ECONNREFUSED},
			text:    "connect_refused: connecting to 192.0.2.1:80: connection refused (attempts: 4, stop: attempts)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if c.cancel != nil {
					time.AfterFunc(time.Second, func() { cancel(c.cancel) })
				}
				e := new(retry.Engine)
				if c.batch != 0 {
					e.End = time.Now().Add(c.batch)
				}
				_, r := play(ctx, e, c.change, c.steps...)
				for _, want := range c.matches {
					if !errors.Is(r.Err, want) {
						t.Errorf("%q does not match %q", r.Err, want)
					}
				}
				for _, other := range c.not {
					if errors.Is(r.Err, other) {
						t.Errorf("%q matches %q", r.Err, other)
					}
				}
				text := strings.TrimPrefix(r.Err.Error(), "probe shop at https://shop.example.com/: ")
				if c.text != "" && text != c.text {
					t.Errorf("the error says\n%s\nwant\n%s", text, c.text)
				}
			})
		})
	}
}

func TestAllRecordsAreKeptInOrder(t *testing.T) { // C69
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fourth := errors.New("status 500, want 2xx")
		_, r := play(t.Context(), new(retry.Engine), nil,
			fails(probe.ReasonConnectRefused), fails(probe.ReasonDisconnected), fails(probe.ReasonLimitSockRead),
			fails(probe.ReasonStatus).with(func(a *probe.Attempt) { a.Transient, a.Err = true, fourth }))
		var reasons []string
		for _, a := range r.Attempts {
			reasons = append(reasons, string(a.Reason))
		}
		if got, want := strings.Join(reasons, " "), "connect_refused disconnected limit_sock_read status"; got != want {
			t.Errorf("the attempts failed for %s, want %s", got, want)
		}
		if !errors.Is(r.Err, fourth) || errors.Is(r.Err, syscall.ECONNREFUSED) {
			t.Errorf("the error is %v, want the fourth attempt's", r.Err)
		}
	})
}

// TestABatchKeepsWhatIsFinished runs a hundred probes, one of which is silent, up to the batch's end (C56).
func TestABatchKeepsWhatIsFinished(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &retry.Engine{End: time.Now().Add(20 * time.Second)}
		results := make(chan *probe.Result, 100)
		silent := fails(probe.ReasonLimitSockRead).taking(10 * time.Second)
		for i := range 100 {
			go func() {
				now := passes().taking(time.Second)
				if i == 42 {
					now = silent
				}
				_, r := play(t.Context(), &retry.Engine{End: e.End}, nil, now)
				results <- r
			}()
		}
		verdicts := map[probe.Verdict]int{}
		for range 100 {
			r := <-results
			verdicts[r.Verdict]++
			if r.Verdict == probe.Down && (r.Stop != retry.StopBatchDeadline || r.Duration != 20*time.Second || len(r.Attempts) != 2) {
				t.Errorf("the silent one ended by %s after %v and %d attempts, want batch_deadline after 20s and 2",
					r.Stop, r.Duration, len(r.Attempts))
			}
		}
		if verdicts[probe.Up] != 99 || verdicts[probe.Down] != 1 {
			t.Errorf("the verdicts are %v, want 99 up and 1 down", verdicts)
		}
	})
}

func TestCharged(t *testing.T) {
	t.Parallel()
	for want, attempts := range [][]probe.Attempt{
		nil, {{Number: 1}, {Number: 1, Transparent: true}}, {{Number: 1}, {Number: 1, Transparent: true}, {Number: 2}},
	} {
		if got := (&probe.Result{Attempts: attempts}).Charged(); got != want {
			t.Errorf("%d of %d attempts are charged, want %d", got, len(attempts), want)
		}
	}
}
