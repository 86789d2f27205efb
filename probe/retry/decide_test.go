package retry

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestDecide reads like the design: what came of an attempt, under which policy, and what follows. Each
// row begins with a failed attempt that a fresh policy retries after 750 ms, and changes one thing.
func TestDecide(t *testing.T) {
	t.Parallel()
	type change = func(*situation)
	policy := func(f func(*Policy)) change { return func(s *situation) { f(s.policy) } }
	unsafe := func(u Unsafe) change { return policy(func(p *Policy) { p.Unsafe = u }) }
	above := func(a Above) change { return policy(func(p *Policy) { p.RetryAfter.Above = a }) }
	post := func(e Evidence) change {
		return func(s *situation) { s.outcome.Repeatable, s.outcome.Evidence = false, e }
	}
	get := func(e Evidence) change { return func(s *situation) { s.outcome.Evidence = e } }
	stale := func(s *situation) { s.outcome.Stale = true }
	asked := func(d time.Duration) change {
		return func(s *situation) { s.outcome.Asked, s.outcome.HasAsked = d, true }
	}
	left := func(d time.Duration) change { return func(s *situation) { s.left = d } }
	permanent := func(s *situation) { s.outcome.Transient = false }
	ok := func(s *situation) { s.outcome.OK = true }
	last := func(s *situation) { s.charged = s.policy.Attempts }
	notReplayable := func(s *situation) { s.outcome.NotReplayable = true }
	cut := func(stop Stop) change { return func(s *situation) { s.cut = stop } }

	stop := func(s Stop) Decision { return Decision{Stop: s} }
	wait := func(d time.Duration) Decision { return Decision{Wait: d, Source: FromBackoff} }
	asks := func(d time.Duration) Decision { return Decision{Wait: d, Source: FromRetryAfter} }
	ambiguous := Decision{Wait: 750 * ms, Source: FromBackoff, Ambiguous: true}
	resend := Decision{Transparent: true}

	for _, c := range []struct {
		name    string
		changes []change
		want    Decision
	}{
		{"a transient failure is retried", nil, wait(750 * ms)},
		{"the wait grows", []change{func(s *situation) { s.charged = 3 }}, wait(2250 * ms)},

		// The stops, each before all that come after it.
		{"what passed was not canceled", []change{cut(StopCanceled), ok}, stop(StopSuccess)},
		{"what passed was not cut by the batch's end", []change{cut(StopBatchDeadline), ok}, stop(StopSuccess)},
		{"what passed was not cut by the run's end", []change{cut(StopDeadline), ok}, stop(StopSuccess)},
		{"canceled beats permanent", []change{cut(StopCanceled), permanent}, stop(StopCanceled)},
		{"the batch's end beats permanent", []change{cut(StopBatchDeadline), permanent}, stop(StopBatchDeadline)},
		{"the run's end beats permanent", []change{cut(StopDeadline), permanent}, stop(StopDeadline)},
		{"success", []change{ok, permanent, last}, stop(StopSuccess)},
		{"permanent beats attempts", []change{permanent, last}, stop(StopPermanent)},
		{"permanent beats transparent", []change{permanent, get(Refused)}, stop(StopPermanent)},
		{"attempts beat unsafe", []change{last, post(Answered)}, stop(StopAttempts)},
		{"unsafe beats not replayable", []change{post(Answered), notReplayable}, stop(StopUnsafeAfterResponse)},
		{"not replayable beats retry-after", []change{notReplayable, asked(time.Hour)}, stop(StopNotReplayable)},
		{"retry-after beats the deadline", []change{asked(time.Hour), left(1)}, stop(StopRetryAfterOverMax)},
		{"no attempts at all are one", []change{policy(func(p *Policy) { p.Attempts = 0 })}, stop(StopAttempts)},

		// The deadline: no wait that would end at or after it.
		{"the wait ends before the deadline", []change{left(750*ms + 1)}, wait(750 * ms)},
		{"the wait ends at the deadline", []change{left(750 * ms)}, stop(StopDeadlineWouldPass)},
		{"an asked wait passes the deadline", []change{asked(7 * time.Second), left(7 * time.Second)}, stop(StopDeadlineWouldPass)},

		// Resending safely, by evidence and by retry.unsafe.
		{"POST, never sent", []change{post(NeverSent)}, wait(750 * ms)},
		{"POST, refused once already", []change{post(Refused), func(s *situation) { s.resent = true }}, wait(750 * ms)},
		{"POST, unanswered", []change{post(Unanswered)}, ambiguous},
		{"POST, answered", []change{post(Answered)}, stop(StopUnsafeAfterResponse)},
		{"POST, before_send, never sent", []change{post(NeverSent), unsafe(UnsafeBeforeSend)}, wait(750 * ms)},
		{"POST, before_send, unanswered", []change{post(Unanswered), unsafe(UnsafeBeforeSend)}, stop(StopUnsafeAfterSend)},
		{"POST, before_send, answered", []change{post(Answered), unsafe(UnsafeBeforeSend)}, stop(StopUnsafeAfterResponse)},
		{"POST, never, never sent", []change{post(NeverSent), unsafe(UnsafeNever)}, stop(StopUnsafeMethod)},
		{"POST, never, unanswered", []change{post(Unanswered), unsafe(UnsafeNever)}, stop(StopUnsafeAfterSend)},
		{"POST, never, answered", []change{post(Answered), unsafe(UnsafeNever)}, stop(StopUnsafeAfterResponse)},
		{"GET, answered", []change{get(Answered), unsafe(UnsafeNever)}, wait(750 * ms)},
		{"GET, unanswered, is not ambiguous", []change{get(Unanswered), unsafe(UnsafeNever)}, wait(750 * ms)},

		// Transparent attempts: only what a connection library would send again by itself.
		{"GET, refused", []change{get(Refused)}, resend},
		{"POST, refused", []change{post(Refused)}, resend},
		{"POST, refused, never", []change{post(Refused), unsafe(UnsafeNever)}, resend},
		{"refused on the last attempt", []change{get(Refused), last}, resend},
		{"refused with a deadline near", []change{get(Refused), left(1)}, resend},
		{"GET, stale, never sent", []change{get(NeverSent), stale}, resend},
		{"POST, stale, never sent", []change{post(NeverSent), stale}, resend},
		{"GET, stale, unanswered", []change{get(Unanswered), stale}, resend},
		{"POST, stale, unanswered", []change{post(Unanswered), stale}, ambiguous},
		{"GET, stale, answered", []change{get(Answered), stale}, wait(750 * ms)},
		{"GET, never sent, on a fresh connection", []change{get(NeverSent)}, wait(750 * ms)},
		{"used up", []change{get(Refused), func(s *situation) { s.resent = true }}, wait(750 * ms)},
		{"switched off", []change{get(Refused), policy(func(p *Policy) { p.Transparent = 0 })}, wait(750 * ms)},
		{"not replayable", []change{get(Refused), notReplayable}, stop(StopNotReplayable)},

		// Retry-After is a floor, judged before jitter.
		{"asked for more", []change{asked(7 * time.Second)}, asks(7250 * ms)},
		{"asked for less", []change{asked(100 * ms)}, wait(750 * ms)},
		{"asked for the same", []change{asked(500 * ms)}, wait(750 * ms)},
		{"asked for nothing", []change{asked(0)}, wait(750 * ms)},
		{"asked for less than nothing", []change{asked(-time.Hour)}, wait(750 * ms)},
		{"asked above the cap", []change{asked(20 * time.Second)}, asks(20250 * ms)},
		{"asked for max", []change{asked(time.Minute)}, asks(60250 * ms)},
		{"asked above max", []change{asked(time.Minute + 1)}, stop(StopRetryAfterOverMax)},
		{"asked above max, stop", []change{asked(time.Hour), above(AboveStop)}, stop(StopRetryAfterOverMax)},
		{"asked above max, clamp", []change{asked(time.Hour), above(AboveClamp)}, asks(60250 * ms)},
		{"asked above max, ignore", []change{asked(time.Hour), above(AboveIgnore)}, wait(750 * ms)},
		{"no max", []change{asked(time.Hour), policy(func(p *Policy) { p.RetryAfter.Max = 0 })}, asks(time.Hour + 250*ms)},
		{"asked for ever, no max", []change{asked(forever), policy(func(p *Policy) { p.RetryAfter.Max = 0 })}, stop(StopDeadlineWouldPass)},
		{"not asked", []change{func(s *situation) { s.outcome.Asked = time.Hour }}, wait(750 * ms)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := situation{
				policy:  standard(),
				outcome: Outcome{Transient: true, Evidence: Answered, Repeatable: true},
				charged: 1, left: forever, chance: 0.5,
			}
			for _, change := range c.changes {
				change(&s)
			}
			if diff := cmp.Diff(c.want, decide(s)); diff != "" {
				t.Errorf("want - got +:\n%s", diff)
			}
		})
	}
}

// standard is policy S of the conformance table.
func standard() *Policy {
	return &Policy{Attempts: 4, Backoff: seed, RetryAfter: RetryAfter{Max: time.Minute}, Transparent: 1}
}

func FuzzDecide(f *testing.F) {
	f.Add(uint16(0), uint8(1), uint8(1), 1, int64(time.Second), int64(time.Hour), int64(0), uint64(0))
	f.Add(uint16(0xffff), uint8(3), uint8(2), 100, int64(forever), int64(forever), int64(forever), uint64(1)<<63)
	evidence := []Evidence{NeverSent, Refused, Unanswered, Answered}
	unsafe := []Unsafe{UnsafeBeforeResponse, UnsafeBeforeSend, UnsafeNever, ""}
	above := []Above{AboveStop, AboveClamp, AboveIgnore, ""}
	f.Fuzz(func(t *testing.T, bits uint16, e, u uint8, charged int, asked, left, most int64, chance uint64) {
		is := func(bit int) bool { return bits>>bit&1 == 1 }
		p := standard()
		p.Unsafe, p.RetryAfter = unsafe[u%4], RetryAfter{Max: time.Duration(most), Above: above[u/4%4]}
		o := Outcome{
			OK: is(0), Transient: is(1), Evidence: evidence[e%4], Stale: is(2), Repeatable: is(3),
			NotReplayable: is(4), Asked: time.Duration(asked), HasAsked: is(5),
		}
		s := situation{policy: p, outcome: o, charged: charged, resent: is(6), left: time.Duration(left), chance: float64(chance>>11) / (1 << 53)}
		d := decide(s)
		switch {
		case d.Wait < 0 || d.Wait > 0 && d.Wait >= s.left:
			t.Errorf("%+v waits %v with %v left", o, d.Wait, s.left)
		case d.Stop != "" && d != (Decision{Stop: d.Stop}):
			t.Errorf("a stop with more beside it: %+v", d)
		case d.Stop == "" && !o.Repeatable && o.Evidence == Answered:
			t.Errorf("%+v is sent again after an answer", o)
		case d.Stop == "" && (o.OK || !o.Transient):
			t.Errorf("%+v is followed by another attempt", o)
		case d.Transparent && (s.resent || d.Wait != 0):
			t.Errorf("a transparent attempt too many, or late: %+v", d)
		}
	})
}
