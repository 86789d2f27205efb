package probe_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/retry"
)

// TestVerdicts says of each way in which a run can go what it says of its target, and why.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	const s = time.Second
	refused, queue := fails(probe.ReasonConnectRefused), fails(probe.ReasonPoolTimeout)
	expired := fails(probe.ReasonTLSCertExpired)
	for _, c := range []struct {
		name            string
		deadline, batch time.Duration // 0 is none
		cancel          time.Duration // 0 is never
		steps           []step
		verdict         probe.Verdict
		reason          probe.Reason
		stop            retry.Stop
		attempts        int
	}{
		{"passes", 0, 0, 0, []step{passes()}, probe.Up, "", retry.StopSuccess, 1},
		{"passes after a failure", 0, 0, 0, []step{refused, passes()}, probe.Flaky, "", retry.StopSuccess, 2},
		{"passes after one of ours", 0, 0, 0, []step{queue, passes()}, probe.Up, "", retry.StopSuccess, 2},
		{"passes after ours and its own", 0, 0, 0, []step{queue, refused, passes()}, probe.Flaky, "", retry.StopSuccess, 3},
		{"passes transparently", 0, 0, 0, []step{stale(), passes()}, probe.Up, "", retry.StopSuccess, 2},
		{"transparent fails, then passes", 0, 0, 0, []step{stale(), refused, passes()}, probe.Flaky, "", retry.StopSuccess, 3},
		{"fails, then passes transparently", 0, 0, 0, []step{refused, stale(), passes()}, probe.Flaky, "", retry.StopSuccess, 3},
		{"fails for ever", 0, 0, 0, []step{refused}, probe.Down, probe.ReasonConnectRefused, retry.StopAttempts, 4},
		{"the last reason counts", 0, 0, 0, []step{refused, expired}, probe.Down, probe.ReasonTLSCertExpired, retry.StopPermanent, 2},
		{"ours for ever", 0, 0, 0, []step{queue}, probe.Unknown, probe.ReasonPoolTimeout, retry.StopAttempts, 4},
		{"ends by one of ours", 0, 0, 0, []step{refused, fails(probe.ReasonConfig)}, probe.Unknown, probe.ReasonConfig, retry.StopPermanent, 2},
		{"panics", 0, 0, 0, []step{{panics: "nil map"}}, probe.Unknown, probe.ReasonInternal, retry.StopPermanent, 1},

		{"its deadline cuts the first", 5 * s, 0, 0, []step{hangs()}, probe.Down, probe.ReasonDeadline, retry.StopDeadline, 1},
		{"its deadline cuts the second", 5 * s, 0, 0, []step{refused, hangs()}, probe.Down, probe.ReasonDeadline, retry.StopDeadline, 2},
		{"its deadline cuts a starved one", 5 * s, 0, 0, []step{fails(probe.ReasonProberLate).taking(5 * s)},
			probe.Unknown, probe.ReasonProberLate, retry.StopDeadline, 1},
		{"no wait fits before its deadline", s, 0, 0, []step{refused}, probe.Down, probe.ReasonConnectRefused, retry.StopDeadlineWouldPass, 2},
		{"the batch cuts the first", 0, 5 * s, 0, []step{hangs()}, probe.Unknown, probe.ReasonDeadline, retry.StopBatchDeadline, 1},
		{"the batch cuts after a failure", 0, 5 * s, 0, []step{refused, hangs()}, probe.Down, probe.ReasonDeadline, retry.StopBatchDeadline, 2},
		{"the batch cuts after one of ours", 0, 5 * s, 0, []step{queue, hangs()}, probe.Unknown, probe.ReasonDeadline, retry.StopBatchDeadline, 2},
		{"the batch was over", 0, -s, 0, []step{passes()}, probe.Unknown, probe.ReasonDeadline, retry.StopBatchDeadline, 0},
		{"canceled in an attempt", 0, 0, s, []step{hangs()}, probe.Unknown, probe.ReasonCanceled, retry.StopCanceled, 1},
		{"canceled in a later attempt", 0, 0, s, []step{refused, hangs()}, probe.Unknown, probe.ReasonCanceled, retry.StopCanceled, 2},
		{"canceled in a wait", 0, 0, 300 * time.Millisecond, []step{refused}, probe.Unknown, probe.ReasonCanceled, retry.StopCanceled, 1},
		{"canceled in a wait after one of ours", 0, 0, 300 * time.Millisecond, []step{queue}, probe.Unknown, probe.ReasonPoolTimeout, retry.StopCanceled, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.cancel > 0 {
					time.AfterFunc(c.cancel, cancel)
				}
				e := new(retry.Engine)
				if c.batch != 0 {
					e.End = time.Now().Add(c.batch)
				}
				_, r := play(ctx, e, func(p *probe.Probe) { p.Policy.Deadline = c.deadline }, c.steps...)
				if r.Verdict != c.verdict || r.Reason != c.reason || r.Stop != c.stop || len(r.Attempts) != c.attempts {
					t.Errorf("%s for %q by %s after %d attempts, want %s for %q by %s after %d", r.Verdict, r.Reason,
						r.Stop, len(r.Attempts), c.verdict, c.reason, c.stop, c.attempts)
				}
				checkResult(t, r)
			})
		})
	}
}

// checkResult holds what is true of every result.
func checkResult(t *testing.T, r *probe.Result) {
	t.Helper()
	if passed := r.Verdict.Passed(); passed != (r.Err == nil) || passed != (r.Reason == "") || passed != (r.Stop == retry.StopSuccess) {
		t.Errorf("verdict %s with error %v, reason %q and stop %s", r.Verdict, r.Err, r.Reason, r.Stop)
	}
	var run *probe.RunError
	if r.Err != nil && (!errors.As(r.Err, &run) || run.Err == nil) {
		t.Errorf("the error is %#v, want a *RunError of something", r.Err)
	}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		var sum time.Duration
		for _, d := range a.Phases {
			sum += d
		}
		if sum != a.Duration {
			t.Errorf("the phases of attempt %d sum to %v, want its duration %v", i, sum, a.Duration)
		}
		if a.OK != (a.Reason == "") || a.OK != (a.Err == nil) || !a.OK && !a.Reason.Known() {
			t.Errorf("attempt %d is ok %v with reason %q and error %v", i, a.OK, a.Reason, a.Err)
		}
	}
}

func TestWhatTheAttemptsRecord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		measured := fails(probe.ReasonLimitSockRead).taking(3 * time.Second).with(func(a *probe.Attempt) {
			a.Phases[probe.PhaseConnect], a.Phases[probe.PhaseWait] = time.Second, 2*time.Second
			a.Phase, a.Repeatable = probe.PhaseWait, false // a POST
		})
		last := passes().taking(2 * time.Second).with(func(a *probe.Attempt) { a.Phase = probe.PhaseTransfer })
		s, r := play(t.Context(), new(retry.Engine), nil, fails(probe.ReasonConnectRefused).with(func(a *probe.Attempt) {
			a.Evidence, a.Repeatable, a.Asked, a.HasAsked = probe.NeverSent, false, 4*time.Second, true
		}), measured, last)
		type row struct {
			number            int
			at, duration      time.Duration
			wait, waited      time.Duration
			source            retry.Source
			ambiguous, resent bool
			connect, transfer time.Duration
		}
		want := []row{
			{number: 1, wait: 4250 * time.Millisecond, waited: 4250 * time.Millisecond, source: retry.FromRetryAfter},
			{number: 2, at: 4250 * time.Millisecond, duration: 3 * time.Second, wait: 1250 * time.Millisecond,
				waited: 1250 * time.Millisecond, source: retry.FromBackoff, connect: time.Second},
			{number: 3, at: 8500 * time.Millisecond, duration: 2 * time.Second, ambiguous: true, resent: true,
				transfer: 2 * time.Second},
		}
		var got []row
		for _, a := range r.Attempts {
			got = append(got, row{a.Number, a.Started.Sub(began), a.Duration, a.Wait, a.Waited, a.WaitSource, a.Ambiguous,
				a.HTTP != nil && a.HTTP.AfterResend, a.Phases[probe.PhaseConnect], a.Phases[probe.PhaseTransfer]})
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
			t.Errorf("attempts, want - got +:\n%s", diff)
		}
		wantEvents := []string{
			"attempt 1 false wait 4.25s", "attempt 2 false wait 1.25s", "attempt 3 true wait 0s", "rest", "run flaky",
		}
		if diff := cmp.Diff(wantEvents, s.events); diff != "" {
			t.Errorf("events, want - got +:\n%s", diff)
		}
		if r.Duration != 10500*time.Millisecond || !r.Started.Equal(began) {
			t.Errorf("the run took %v from %v, want 10.5s from %v", r.Duration, r.Started, began)
		}
	})
}

func TestWhatTheProberIsAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _ := play(t.Context(), new(retry.Engine), nil,
			stale(), fails(probe.ReasonConnectRefused), fails(probe.ReasonDisconnected), passes())
		key := s.tries[0].Key
		want := []probe.Try{
			{Number: 1, Key: key}, {Number: 1, Key: key, Fresh: true}, {Number: 2, Key: key}, {Number: 3, Key: key, Fresh: true},
		}
		if diff := cmp.Diff(want, s.tries); diff != "" {
			t.Errorf("tries, want - got +:\n%s", diff)
		}
		other, _ := play(t.Context(), new(retry.Engine), nil, passes())
		if other.tries[0].Key == key {
			t.Errorf("two runs have the key %v, want each its own", key)
		}
	})
}

func TestTheFileOverridesWhatIsTransient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		change := func(p *probe.Probe) {
			p.Transient = map[probe.Reason]bool{
				probe.ReasonDNSNotFound: false, probe.ReasonTLSCertExpired: true, "": false,
			}
		}
		for _, c := range []struct {
			reason   probe.Reason
			stop     retry.Stop
			attempts int
		}{
			{probe.ReasonDNSNotFound, retry.StopPermanent, 1},
			{probe.ReasonTLSCertExpired, retry.StopAttempts, 4},
			{probe.ReasonConnectRefused, retry.StopAttempts, 4},
		} {
			_, r := play(t.Context(), new(retry.Engine), change, fails(c.reason))
			if r.Stop != c.stop || len(r.Attempts) != c.attempts || r.Attempts[0].Transient != (c.attempts > 1) {
				t.Errorf("%s: stop %s after %d attempts, transient %v, want %s after %d",
					c.reason, r.Stop, len(r.Attempts), r.Attempts[0].Transient, c.stop, c.attempts)
			}
		}
	})
}

func TestAPanicIsAFailedAttempt(t *testing.T) {
	t.Parallel()
	_, r := play(t.Context(), new(retry.Engine), nil, step{panics: syscall.EINVAL})
	var p *probe.PanicError
	if !errors.As(r.Err, &p) || p.Value != syscall.EINVAL || len(p.Stack) == 0 {
		t.Errorf("the error is %v, want one that reaches the panic's value and stack", r.Err)
	}
	want := "probe shop at https://shop.example.com/: the prober panicked: invalid argument (attempts: 1, stop: permanent)"
	if got := r.Err.Error(); got != want {
		t.Errorf("the error says\n%s\nwant\n%s", got, want)
	}
	if e := r.Attempts[0].Evidence; e != probe.Unanswered {
		t.Errorf("the evidence is %s, want %s, which promises nothing", e, probe.Unanswered)
	}
}

func TestAProberThatBreaksTheRules(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, s := range map[string]step{
			"a reason of its own": fails("weather"),
			"no reason":           {attempt: probe.Attempt{Transient: true}},
			"no error":            {attempt: probe.Attempt{Reason: probe.ReasonStatus}},
			"a reason for passing": passes().with(func(a *probe.Attempt) {
				a.Reason, a.Err, a.Limit = probe.ReasonStatus, errRefused, probe.LimitTotal
			}),
		} {
			_, r := play(t.Context(), new(retry.Engine), nil, s)
			if checkResult(t, r); t.Failed() {
				t.Fatalf("by %s", name)
			}
			if strange := s.attempt.Reason != probe.ReasonStatus; strange && r.Reason != probe.ReasonInternal {
				t.Errorf("%s ends as %q, want %s", name, r.Reason, probe.ReasonInternal)
			}
		}
	})
}
