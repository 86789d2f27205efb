package tale_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/retry"
	"sonde/probe/tale"
)

var update = flag.Bool("update", false, "write testdata/tales.txt anew")

// run is one that is told.
type run struct {
	name     string
	policy   func(*retry.Policy)
	probe    func(*probe.Probe)
	batch    time.Duration // 0 is none
	cancel   time.Duration // 0 is never
	attempts []probe.Attempt
}

const s = time.Second

// runs are all ways in which a run can go. Chance always draws a half.
var runs = []run{
	{name: "passes", attempts: []probe.Attempt{passes()}},
	{name: "passes after a status", attempts: []probe.Attempt{answers(503), passes()}},
	{name: "passes after ours", attempts: []probe.Attempt{fails(probe.ReasonPoolTimeout, probe.NeverSent), passes()}},
	{name: "passes after ours and its own", attempts: []probe.Attempt{fails(probe.ReasonPoolTimeout, probe.NeverSent), answers(503), passes()}},
	{name: "all the same", attempts: []probe.Attempt{answers(503)}},
	{name: "a mixture", attempts: []probe.Attempt{answers(503), limited(probe.LimitSockRead, probe.PhaseWait), answers(503), fails(probe.ReasonConnectRefused, probe.NeverSent)}},
	{name: "a permanent status", attempts: []probe.Attempt{answers(404)}},
	{name: "an assertion", attempts: []probe.Attempt{{Method: "GET", Repeatable: true, Evidence: probe.Answered, HTTP: &probe.HTTP{Status: 200},
		Reason: probe.ReasonAssertion, Err: fmt.Errorf("body does not contain %q", strings.Repeat("long ", 60))}}},
	{name: "one attempt is all", policy: func(p *retry.Policy) { p.Attempts = 1 }, attempts: []probe.Attempt{answers(503)}},
	{name: "two are all", policy: func(p *retry.Policy) { p.Attempts = 2 }, attempts: []probe.Attempt{answers(503)}},
	{name: "overrides", probe: func(p *probe.Probe) {
		p.Transient = map[probe.Reason]bool{probe.ReasonTLSCertExpired: true, probe.ReasonConnectRefused: false}
	}, attempts: []probe.Attempt{fails(probe.ReasonTLSCertExpired, probe.NeverSent), fails(probe.ReasonConnectRefused, probe.NeverSent)}},
	{name: "a certificate of one's own authority", attempts: []probe.Attempt{fails(probe.ReasonTLSCertUntrusted, probe.NeverSent)}},
	{name: "an expired certificate", attempts: []probe.Attempt{{Reason: probe.ReasonTLSCertExpired, Phase: probe.PhaseTLS, Evidence: probe.NeverSent,
		TLS: &probe.TLSFacts{EarliestExpiry: time.Date(1999, 12, 24, 0, 0, 0, 0, time.UTC)}}}},

	{name: "POST was answered", attempts: []probe.Attempt{post(false, answers(503))}},
	{name: "POST with a key was answered", attempts: []probe.Attempt{post(true, answers(503)), post(true, withStatus409()), post(true, passes())}},
	{name: "POST is ambiguous", attempts: []probe.Attempt{post(false, fails(probe.ReasonDisconnected, probe.Unanswered)), post(false, passes())}},
	{name: "POST had not left", attempts: []probe.Attempt{post(false, fails(probe.ReasonConnectRefused, probe.NeverSent)), post(false, passes())}},
	{name: "POST had not left for where it was redirected", attempts: []probe.Attempt{redirected(post(false, fails(probe.ReasonConnectRefused, probe.NeverSent))), post(false, passes())}},
	{name: "POST was sent", policy: func(p *retry.Policy) { p.Unsafe = retry.UnsafeBeforeSend }, attempts: []probe.Attempt{post(false, fails(probe.ReasonDisconnected, probe.Unanswered))}},
	{name: "POST is never repeated", policy: func(p *retry.Policy) { p.Unsafe = retry.UnsafeNever }, attempts: []probe.Attempt{post(false, fails(probe.ReasonConnectRefused, probe.NeverSent))}},
	{name: "not replayable", attempts: []probe.Attempt{notReplayable()}},

	{name: "stale and unanswered", attempts: []probe.Attempt{stale(fails(probe.ReasonStaleConnection, probe.Unanswered)), passes()}},
	{name: "stale and never sent", attempts: []probe.Attempt{post(false, stale(fails(probe.ReasonStaleConnection, probe.NeverSent))), post(false, passes())}},
	{name: "refused by the peer", attempts: []probe.Attempt{post(false, fails(probe.ReasonH2Refused, probe.Refused)), post(false, fails(probe.ReasonH2Refused, probe.Refused)), post(false, passes())}},
	{name: "resent in vain", policy: func(p *retry.Policy) { p.Attempts = 1 }, attempts: []probe.Attempt{stale(fails(probe.ReasonStaleConnection, probe.Unanswered)), answers(503)}},
	{name: "resent after a failure", attempts: []probe.Attempt{answers(503), stale(fails(probe.ReasonStaleConnection, probe.Unanswered)), passes()}},

	{name: "asked and obeyed", attempts: []probe.Attempt{asks(429, 5*s), passes()}},
	{name: "asked for less", attempts: []probe.Attempt{asks(429, 0), passes()}},
	{name: "asked for too much", attempts: []probe.Attempt{asks(503, 120*s)}},
	{name: "asked for too much, clamped", policy: func(p *retry.Policy) { p.RetryAfter.Above = retry.AboveClamp }, attempts: []probe.Attempt{asks(503, 120*s), passes()}},
	{name: "asked for too much, ignored", policy: func(p *retry.Policy) { p.RetryAfter.Above = retry.AboveIgnore }, attempts: []probe.Attempt{asks(503, 120*s), passes()}},
	{name: "asked at the last", policy: func(p *retry.Policy) { p.Attempts = 1 }, attempts: []probe.Attempt{asks(503, 5*s)}},

	{name: "full", policy: func(p *retry.Policy) { p.Backoff.Kind = retry.Full }, attempts: []probe.Attempt{answers(503)}},
	{name: "equal", policy: func(p *retry.Policy) { p.Backoff.Kind = retry.Equal }, attempts: []probe.Attempt{answers(503)}},
	{name: "decorrelated", policy: func(p *retry.Policy) { p.Backoff.Kind = retry.Decorrelated }, attempts: []probe.Attempt{answers(503)}},
	{name: "the cap has the jitter", policy: func(p *retry.Policy) { p.Backoff.CapIncludesJitter = true }, attempts: []probe.Attempt{answers(503)}},
	{name: "no jitter", policy: func(p *retry.Policy) { p.Backoff.Jitter = 0 }, attempts: []probe.Attempt{answers(503)}},
	{name: "no base", policy: func(p *retry.Policy) { p.Backoff.Base = 0 }, attempts: []probe.Attempt{answers(503)}},

	{name: "no wait fits", policy: func(p *retry.Policy) { p.Deadline = s }, attempts: []probe.Attempt{answers(503)}},
	{name: "no asked wait fits", policy: func(p *retry.Policy) { p.Deadline = 30 * s }, attempts: []probe.Attempt{asks(503, 40*s)}},
	{name: "no wait fits into the batch", batch: s, attempts: []probe.Attempt{answers(503)}},
	{name: "the deadline cuts the first", policy: func(p *retry.Policy) { p.Deadline = 9 * s }, attempts: []probe.Attempt{endless(passes())}},
	{name: "the deadline cuts the second", policy: func(p *retry.Policy) { p.Deadline = 9 * s }, attempts: []probe.Attempt{answers(503), endless(passes())}},
	{name: "the batch cuts the first", batch: 5 * s, attempts: []probe.Attempt{endless(passes())}},
	{name: "the batch cuts the second", batch: 5 * s, attempts: []probe.Attempt{answers(503), endless(passes())}},
	{name: "the batch was over", batch: -s, attempts: []probe.Attempt{passes()}},
	{name: "canceled in an attempt", cancel: s, attempts: []probe.Attempt{endless(passes())}},
	{name: "canceled in a wait", cancel: 300 * time.Millisecond, attempts: []probe.Attempt{answers(503)}},
	{name: "the budget", policy: func(p *retry.Policy) { p.Budget = retry.Budget{FloorPerSecond: 0.001, Burst: 1} }, attempts: []probe.Attempt{answers(503)}},

	{name: "a kind without methods", probe: func(p *probe.Probe) { p.Kind = "tcp" }, attempts: []probe.Attempt{
		talks(fails(probe.ReasonConnectRefused, probe.NeverSent)), talks(limited(probe.LimitConnect, probe.PhaseResolve)), talks(spoken())}},
	{name: "an unsafe kind without methods", probe: func(p *probe.Probe) { p.Kind = "smtp" }, attempts: []probe.Attempt{talks(post(false, answers(503)))}},
	{name: "a proxy that is not there", attempts: []probe.Attempt{fails(probe.ReasonProxyConnect, probe.NeverSent)}},
	{name: "a proxy that asks for a wait", attempts: []probe.Attempt{refused(503, 5*s), passes()}},
	{name: "a proxy that asks for less", attempts: []probe.Attempt{refused(503, 0), passes()}},
	{name: "a proxy that asks for too much", attempts: []probe.Attempt{refused(503, 120*s)}},
	{name: "a proxy that does not know who asks", attempts: []probe.Attempt{refused(407, -1)}},

	{name: "late", attempts: []probe.Attempt{late()}},
	{name: "a panic", attempts: []probe.Attempt{{Reason: probe.ReasonInternal, Err: &probe.PanicError{Value: "nil map"}}}},
}

// refused is a proxy's answer to CONNECT, which asks for a wait unless that is below 0.
func refused(status int, wait time.Duration) probe.Attempt {
	a := fails(probe.ReasonProxyStatus, probe.NeverSent)
	a.Phase, a.Transient, a.Err = probe.PhaseConnect, answers(status).Transient, fmt.Errorf("the proxy 192.0.2.3:3128 answered %d to CONNECT", status)
	a.Asked, a.HasAsked = max(0, wait), wait >= 0
	return a
}

func withStatus409() probe.Attempt {
	a := answers(409)
	a.Transient = true
	return a
}

func notReplayable() probe.Attempt {
	a := answers(503)
	a.NotReplayable = true
	return a
}

// spoken is a peer that has said something else, and may have been about to say more.
func spoken() probe.Attempt {
	a := fails(probe.ReasonAssertion, probe.Answered)
	a.Transient = true
	return a
}

// late is a limit that fired while we were starved.
func late() probe.Attempt {
	a := limited(probe.LimitTotal, probe.PhaseTransfer)
	a.Reason, a.Late = probe.ReasonProberLate, 1234567*time.Microsecond
	return a
}

// result makes the run, in virtual time.
func (c run) result(t *testing.T) (r *probe.Result) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if c.cancel > 0 {
			time.AfterFunc(c.cancel, cancel)
		}
		e := &retry.Engine{Chance: func() float64 { return 0.5 }}
		if c.batch != 0 {
			e.End = time.Now().Add(c.batch)
		}
		p := &probe.Probe{
			Name: "shop", Kind: "http", Target: "http://shop.example.com/", Prober: &script{attempts: c.attempts},
			Limits: probe.Limits{Total: 30 * s, Connect: 5 * s, SockConnect: 5 * s, SockRead: 10 * s},
			Policy: retry.Policy{
				Attempts: 4, Backoff: retry.Backoff{Base: 500 * time.Millisecond, Cap: 1500 * time.Millisecond, Jitter: 500 * time.Millisecond},
				RetryAfter: retry.RetryAfter{Max: 60 * s}, Transparent: 1,
			},
		}
		if c.policy != nil {
			c.policy(&p.Policy)
		}
		if c.probe != nil {
			c.probe(p)
		}
		r = p.Run(ctx, e, silent{})
	})
	return r
}

// told is all that is said of a run.
func told(r *probe.Result) string {
	var b strings.Builder
	say := func(what string, l tale.Line) { fmt.Fprintf(&b, "  %s: %s [%s]\n", what, l.Text, l.Key) }
	for i := range r.Attempts {
		a := &r.Attempts[i]
		fmt.Fprintf(&b, "%s: %s\n", tale.Number(r, i), a.Reason)
		if l, ok := tale.Fired(r.Probe, a); ok {
			say("limit", l)
		}
		if l, ok := tale.Asked(r.Probe, a); ok {
			say("asked", l)
		}
		for _, l := range tale.Decision(r, i) {
			say("decision", l)
		}
		if l, ok := tale.Wait(r, i); ok {
			say("wait", l)
		}
	}
	return b.String() + tale.Sentence(r) + "\n"
}

// TestTales holds what is said of each run to testdata/tales.txt, which is meant to be read.
func TestTales(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	stops := map[retry.Stop]bool{}
	for _, c := range runs {
		r := c.result(t)
		stops[r.Stop] = true
		fmt.Fprintf(&b, "-- %s --\n%s\n", c.name, told(r))
	}
	for _, stop := range retry.Stops() {
		if !stops[stop] {
			t.Errorf("no run ends with stop %s", stop)
		}
	}
	const file = "testdata/tales.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s is stale (go test ./probe/tale -update writes it anew) (-file +now):\n%s", file, diff)
	}
}

// TestEveryReasonHasItsWords: none is told by its bare name, and each of ours says what to do.
func TestEveryReasonHasItsWords(t *testing.T) {
	t.Parallel()
	for _, info := range probe.Reasons() {
		r := run{policy: func(p *retry.Policy) { p.Attempts = 1 }, attempts: []probe.Attempt{fails(info.Reason, probe.NeverSent)}}.result(t)
		text := tale.Sentence(r)
		if strings.Contains(text, string(info.Reason)) && strings.Contains(string(info.Reason), "_") {
			t.Errorf("%s has no words: %s", info.Reason, text)
		}
		if info.Blame == probe.Ours && !strings.Contains(text, "not of the target: ") || strings.HasSuffix(text, ": .") {
			t.Errorf("%s does not say what to do: %s", info.Reason, text)
		}
	}
}
