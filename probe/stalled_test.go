package probe_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// sluggish is a script on a process that does not get on: it stalls after attempts, and in the prober
// after what it has measured.
type sluggish struct {
	*script
	inProber, after time.Duration
}

func (s *sluggish) Probe(ctx context.Context, t probe.Try) probe.Attempt {
	a := s.script.Probe(ctx, t)
	if s.inProber > 0 {
		a.Phases[probe.PhaseWait] = time.Second
		time.Sleep(s.inProber)
	}
	return a
}

func (s *sluggish) AttemptDone(*probe.Probe, *probe.Attempt) { time.Sleep(s.after) }

// TestTheDeadlinePassesByOurFault has runs end by their deadline of 5s while it was our turn.
func TestTheDeadlinePassesByOurFault(t *testing.T) {
	t.Parallel()
	const s = time.Second
	refused, queue := fails(probe.ReasonConnectRefused), fails(probe.ReasonPoolTimeout)
	for _, c := range []struct {
		name            string
		inProber, after time.Duration
		steps           []step
		verdict         probe.Verdict
		reason          probe.Reason
	}{
		{"a stall after a failure of the target's", 0, 6 * s, []step{refused}, probe.Unknown, probe.ReasonProberLate},
		{"a stall after one of ours", 0, 6 * s, []step{queue}, probe.Unknown, probe.ReasonPoolTimeout},
		{"a stall after an answer that was in time", 6 * s, 0, []step{passes()}, probe.Up, ""},
		{"a stall that takes little of a run", 0, s / 2, []step{refused.taking(4 * s)}, probe.Down, probe.ReasonDeadline},
		{"ours, then silence", 0, 0, []step{queue, hangs()}, probe.Unknown, probe.ReasonPoolTimeout},
		{"ours and the target's, then silence", 0, 0, []step{queue, refused, hangs()}, probe.Down, probe.ReasonDeadline},
		{"silence", 0, 0, []step{hangs()}, probe.Down, probe.ReasonDeadline},
		{"an answer at the very deadline", 0, 0, []step{passes().taking(5 * s)}, probe.Up, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				slow := &sluggish{&script{steps: c.steps}, c.inProber, c.after}
				p := &probe.Probe{Name: "shop", Prober: slow, Policy: retry.Policy{
					Attempts: 4, Backoff: retry.Backoff{Base: 500 * time.Millisecond, Cap: 10 * s}, Deadline: 5 * s,
				}}
				r := p.Run(t.Context(), &retry.Engine{Chance: func() float64 { return 0.5 }}, slow)
				if cut := r.Stop == retry.StopDeadline; r.Verdict != c.verdict || r.Reason != c.reason || cut == c.verdict.Passed() {
					t.Errorf("%s for %q by %s, want %s for %q", r.Verdict, r.Reason, r.Stop, c.verdict, c.reason)
				}
				checkResult(t, r)
			})
		})
	}
}

// leaping is a clock that leaps when it is asked again.
type leaping struct {
	at   time.Time
	leap time.Duration
}

func (c *leaping) Now() time.Time {
	now := c.at
	c.at = c.at.Add(c.leap)
	return now
}
func (*leaping) AfterFunc(time.Duration, func()) func() bool { return func() bool { return true } }
func (*leaping) Sleep(context.Context, time.Duration)        {}

// TestARunThatNeverGotGoing has its deadline pass before the first attempt.
func TestARunThatNeverGotGoing(t *testing.T) {
	t.Parallel()
	e := &retry.Engine{Clock: &leaping{time.Unix(1e9, 0), 6 * time.Second}}
	_, r := play(t.Context(), e, func(p *probe.Probe) { p.Policy.Deadline = 5 * time.Second }, passes())
	if r.Verdict != probe.Unknown || r.Reason != probe.ReasonProberLate || len(r.Attempts) != 0 {
		t.Errorf("%s for %q after %d attempts, want unknown for prober_late after none", r.Verdict, r.Reason, len(r.Attempts))
	}
	checkResult(t, r)
}
