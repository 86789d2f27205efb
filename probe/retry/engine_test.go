package retry

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func half() float64 { return 0.5 }

// TestRun plays the rows of the conformance table that need no socket. Under policy S with chance 0.5
// the waits are 0.75, 1.25, 2.25, 4.25, 8.25, 10.25 … s. Instants are exact.
func TestRun(t *testing.T) {
	t.Parallel()
	const s = time.Second
	deadline := func(d time.Duration) func(*Policy) { return func(p *Policy) { p.Deadline = d } }
	for _, c := range []struct {
		name   string
		policy func(*Policy)
		steps  []step
		starts []time.Duration
		ends   time.Duration
		stop   Stop
	}{
		{"C01 passes", nil, []step{passes}, []time.Duration{0}, 0, StopSuccess},
		{"C02 passes at the third", nil, []step{answers, answers, passes},
			[]time.Duration{0, 750 * ms, 2 * s}, 2 * s, StopSuccess},
		{"C03 fails for ever, no wait after the last", nil, []step{answers},
			[]time.Duration{0, 750 * ms, 2 * s, 4250 * ms}, 4250 * ms, StopAttempts},
		{"C04 permanent", nil, []step{notFound}, []time.Duration{0}, 0, StopPermanent},
		{"C06 passes at the second", nil, []step{answers, passes}, []time.Duration{0, 750 * ms}, 750 * ms, StopSuccess},
		{"C07 one attempt", func(p *Policy) { p.Attempts = 1 }, []step{answers.taking(s)}, []time.Duration{0}, s, StopAttempts},
		{"C09 refused for ever", nil, []step{isRefused},
			[]time.Duration{0, 750 * ms, 2 * s, 4250 * ms}, 4250 * ms, StopAttempts},
		{"C10 permanent by the file, at the second", nil, []step{isRefused, notFound},
			[]time.Duration{0, 750 * ms}, 750 * ms, StopPermanent},
		{"C21 POST is disconnected for ever", nil, []step{answers.posting(Unanswered)},
			[]time.Duration{0, 750 * ms, 2 * s, 4250 * ms}, 4250 * ms, StopAttempts},
		{"C22 and before_send", func(p *Policy) { p.Unsafe = UnsafeBeforeSend }, []step{answers.posting(Unanswered)},
			[]time.Duration{0}, 0, StopUnsafeAfterSend},
		{"C30 silence four times", nil, []step{answers.taking(10 * s)},
			[]time.Duration{0, 10750 * ms, 22 * s, 34250 * ms}, 44250 * ms, StopAttempts},
		{"C38 stale, then passes at once", nil, []step{wentStale, passes}, []time.Duration{0, 0}, 0, StopSuccess},
		{"C39 stale again is an ordinary failure", nil, []step{wentStale, wentStale, passes},
			[]time.Duration{0, 0, 750 * ms}, 750 * ms, StopSuccess},
		{"C41 transparent 0", func(p *Policy) { p.Transparent = 0 }, []step{wentStale, passes},
			[]time.Duration{0, 750 * ms}, 750 * ms, StopSuccess},
		{"C42 refused by h2 for ever: four and one", nil, []step{h2Refused},
			[]time.Duration{0, 0, 750 * ms, 2 * s, 4250 * ms}, 4250 * ms, StopAttempts},
		{"a transparent attempt later", nil, []step{answers, h2Refused, passes},
			[]time.Duration{0, 750 * ms, 750 * ms}, 750 * ms, StopSuccess},
		{"C48 Retry-After 7", nil, []step{answers.asking(7 * s), passes}, []time.Duration{0, 7250 * ms}, 7250 * ms, StopSuccess},
		{"C49 Retry-After in 20 s", nil, []step{answers.asking(20 * s), passes},
			[]time.Duration{0, 20250 * ms}, 20250 * ms, StopSuccess},
		{"C50 Retry-After 3600", nil, []step{answers.asking(time.Hour)}, []time.Duration{0}, 0, StopRetryAfterOverMax},
		{"C50 clamped", func(p *Policy) { p.RetryAfter.Above = AboveClamp }, []step{answers.asking(time.Hour), passes},
			[]time.Duration{0, 60250 * ms}, 60250 * ms, StopSuccess},
		{"C50 ignored", func(p *Policy) { p.RetryAfter.Above = AboveIgnore }, []step{answers.asking(time.Hour), passes},
			[]time.Duration{0, 750 * ms}, 750 * ms, StopSuccess},
		{"C52 no wait that the deadline would cut", deadline(3 * s), []step{answers},
			[]time.Duration{0, 750 * ms, 2 * s}, 2 * s, StopDeadlineWouldPass},
		{"C53 the deadline cuts the second attempt", deadline(15 * s), []step{answers.taking(10 * s)},
			[]time.Duration{0, 10750 * ms}, 15 * s, StopDeadline},
		{"an attempt that fails with the deadline", deadline(s), []step{answers.taking(s)}, []time.Duration{0}, s, StopDeadline},
		{"an attempt that ends before it", deadline(s + 1), []step{passes.taking(s)}, []time.Duration{0}, s, StopSuccess},
		{"C69 each fails otherwise", nil, []step{isRefused, answers, answers.taking(10 * s), answers},
			[]time.Duration{0, 750 * ms, 2 * s, 14250 * ms}, 14250 * ms, StopAttempts},
		{"no policy at all is one attempt", func(p *Policy) { *p = Policy{} }, []step{answers}, []time.Duration{0}, 0, StopAttempts},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p, task, e := standard(), play(c.steps...), &Engine{Chance: half}
				if c.policy != nil {
					c.policy(p)
				}
				got := e.Run(t.Context(), p, "host", task)
				if diff := cmp.Diff(c.starts, task.starts); diff != "" {
					t.Errorf("attempts start at, want - got +:\n%s", diff)
				}
				if got.Stop != c.stop || got.Duration != c.ends || !got.Started.Equal(task.began) {
					t.Errorf("the run began at %v, ended after %v by %s, want %v, %v, %s",
						got.Started, got.Duration, got.Stop, task.began, c.ends, c.stop)
				}
				checkInvariants(t, p, task, got)
			})
		})
	}
}

// checkInvariants holds what is true of every run.
func checkInvariants(t *testing.T, p *Policy, task *script, s Summary) {
	t.Helper()
	if cut := s.Stop == StopDeadline || s.Stop == StopBatchDeadline || s.Stop == StopCanceled; cut != (s.Cause != nil) {
		t.Errorf("stop %s with cause %v", s.Stop, s.Cause)
	}
	if p.Deadline > 0 && s.Duration > p.Deadline {
		t.Errorf("the run took %v, more than its deadline %v", s.Duration, p.Deadline)
	}
	number, transparent := 0, 0
	for i, try := range task.tries {
		if !try.Transparent {
			number++
		} else {
			transparent++
		}
		if try.Number != number {
			t.Errorf("try %d is %+v, want number %d", i, try, number)
		}
		if last := i == len(task.tries)-1; last != (task.decisions[i].Stop != "") {
			t.Errorf("after try %d of %d the decision is %+v", i, len(task.tries), task.decisions[i])
		}
	}
	if number > max(1, p.Attempts) || transparent > p.Transparent || len(task.tries) != len(task.decisions) {
		t.Errorf("%d attempts, %d transparent ones and %d decisions under %+v", number, transparent, len(task.decisions), p)
	}
	var waits []time.Duration
	for _, d := range task.decisions {
		if d.Stop == "" && !d.Transparent {
			waits = append(waits, d.Wait)
		}
	}
	if diff := cmp.Diff(waits, task.waited); diff != "" {
		t.Errorf("planned waits - and real ones +:\n%s", diff)
	}
}

func TestAHundredAttempts(t *testing.T) { // C65
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, task := standard(), play(answers)
		p.Attempts = 100
		e := Engine{Chance: rand.New(rand.NewPCG(3, 3)).Float64}
		if s := e.Run(t.Context(), p, "", task); s.Stop != StopAttempts || len(task.tries) != 100 {
			t.Fatalf("stop %s after %d attempts, want attempts after 100", s.Stop, len(task.tries))
		}
		for i, w := range task.waited {
			n := i + 1
			if w <= 0 || w > 10500*ms || n >= 6 && w < 10*time.Second {
				t.Errorf("wait %d is %v, want up to 10.5 s, and from the sixth on at least 10 s", n, w)
			}
		}
	})
}

func TestTheSameSeedIsTheSameRun(t *testing.T) { // C67
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs [2][]Decision
		for i := range runs {
			task := play(answers, answers, passes)
			e := Engine{Chance: rand.New(rand.NewPCG(7, 7)).Float64}
			e.Run(t.Context(), standard(), "", task)
			runs[i] = task.decisions
		}
		if diff := cmp.Diff(runs[0], runs[1]); diff != "" {
			t.Errorf("decisions of the first - and the second run +:\n%s", diff)
		}
	})
}

func TestDecorrelatedWaitsGrowFromEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, task := standard(), play(answers)
		p.Backoff.Kind = Decorrelated
		(&Engine{Chance: half}).Run(t.Context(), p, "", task)
		// 0.5 + (3·0.5 − 0.5)/2, then 0.5 + (3·1 − 0.5)/2, then 0.5 + (3·1.75 − 0.5)/2.
		want := []time.Duration{1000 * ms, 1750 * ms, 2875 * ms}
		if diff := cmp.Diff(want, task.waited); diff != "" {
			t.Errorf("waits, want - got +:\n%s", diff)
		}
	})
}

// stoppedClock is a Clock whose time moves by sleeping alone.
type stoppedClock struct{ now time.Time }

func (c *stoppedClock) Now() time.Time { return c.now }
func (c *stoppedClock) AfterFunc(time.Duration, func()) (stop func() bool) {
	return func() bool { return true }
}
func (c *stoppedClock) Sleep(_ context.Context, d time.Duration) { c.now = c.now.Add(d) }

func TestAClockOfItsOwn(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	e := Engine{Chance: half, Clock: &stoppedClock{now: start}}
	p := standard()
	p.Deadline = time.Minute
	got := e.Run(t.Context(), p, "", play(answers, answers, passes))
	want := Summary{Stop: StopSuccess, Started: start, Duration: 2 * time.Second}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want - got +:\n%s", diff)
	}
}
