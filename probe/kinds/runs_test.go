package kinds

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/conn/memnet"
	"sonde/probe/retry"
)

// policyS is the policy of the runs below, with chance fixed at one half: waits of 0.75, 1.25, 2.25 s.
func policyS() retry.Policy {
	return retry.Policy{
		Attempts: 4, Transparent: 1, RetryAfter: retry.RetryAfter{Max: time.Minute},
		Backoff: retry.Backoff{Base: 500 * time.Millisecond, Cap: 10 * time.Second, Jitter: 500 * time.Millisecond},
	}
}

// half is the engine of the runs below.
func half() *retry.Engine { return &retry.Engine{Chance: func() float64 { return 0.5 }} }

// run makes one run of a probe of the settings.
func (w *world) run(s *HTTP, p retry.Policy) *probe.Result {
	return (&probe.Probe{Name: "p", Target: s.Target(), Host: s.Host(), Policy: p, Prober: prober(w.t, s, standard)}).
		Run(context.Background(), half(), probe.Sinks{})
}

// replies answers the n-th request with the n-th text, and all that follow with the last. A text that
// ends with resets ends the connection so; one that is no whole response closes it.
func (w *world) replies(at string, texts ...string) *[]*http.Request {
	seen := new([]*http.Request)
	w.serve(at, func(c *memnet.Conn, r *bufio.Reader) {
		for {
			req, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			io.Copy(io.Discard, req.Body)
			text := texts[min(len(*seen), len(texts)-1)]
			*seen = append(*seen, req)
			text, reset := strings.CutSuffix(text, resets)
			text, closes := strings.CutSuffix(text, closes)
			io.WriteString(c, text)
			if reset {
				c.Abort()
			}
			if closes || reset {
				return
			}
		}
	})
	return seen
}

// closes, at the end of a reply, ends the connection after it.
const closes = "\x00closes"

func TestRuns(t *testing.T) {
	t.Parallel()
	ok, busy := response(200, "fine"), response(503, "busy")
	half := "HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nhal" + closes
	date := func(layout string) string { // a bubble begins in the first second of 2000
		return response(503, "", "Retry-After: "+time.Date(2000, 1, 1, 0, 0, 20, 0, time.UTC).Format(layout))
	}
	key := func(s *HTTP) { s.IdempotencyKey = "auto" }
	type outcome struct {
		Verdict  probe.Verdict
		Reason   probe.Reason
		Stop     retry.Stop
		Reasons  string
		Requests int
		Took     time.Duration
	}
	for _, test := range []struct {
		id, method string
		replies    []string
		change     func(*HTTP)
		policy     func(*retry.Policy)
		want       outcome
	}{
		{"C01 200", "GET", []string{ok}, nil, nil, outcome{probe.Up, "", retry.StopSuccess, "ok", 1, 0}},
		{"C02 503, 503, 200", "GET", []string{busy, busy, ok}, nil, nil, outcome{probe.Flaky, "", retry.StopSuccess, "status status ok", 3, 2000}},
		{"C03 503 for ever", "GET", []string{busy}, nil, nil, outcome{probe.Down, "status", retry.StopAttempts, "status status status status", 4, 4250}},
		{"C04 404", "GET", []string{response(404, "")}, nil, nil, outcome{probe.Down, "status", retry.StopPermanent, "status", 1, 0}},
		{"C06 408, 200", "GET", []string{response(408, ""), ok}, nil, nil, outcome{probe.Flaky, "", retry.StopSuccess, "status ok", 2, 750}},
		{"C20 closes, 200", "GET", []string{closes, ok}, nil, nil, outcome{probe.Flaky, "", retry.StopSuccess, "disconnected ok", 2, 750}},
		{"C21 resets", "POST", []string{resets}, nil, nil, outcome{probe.Down, "disconnected", retry.StopAttempts, "disconnected disconnected disconnected disconnected", 4, 4250}},
		{"C22 resets, before_send", "POST", []string{resets}, nil, func(p *retry.Policy) { p.Unsafe = retry.UnsafeBeforeSend },
			outcome{probe.Down, "disconnected", retry.StopUnsafeAfterSend, "disconnected", 1, 0}},
		{"C24 half a body", "POST", []string{half}, nil, nil, outcome{probe.Down, "body_truncated", retry.StopUnsafeAfterResponse, "body_truncated", 1, 0}},
		{"C25 half a body, keyed", "POST", []string{half}, key, nil,
			outcome{probe.Down, "body_truncated", retry.StopAttempts, "body_truncated body_truncated body_truncated body_truncated", 4, 4250}},
		{"C26 half a body, 200", "GET", []string{half, ok}, nil, nil, outcome{probe.Flaky, "", retry.StopSuccess, "body_truncated ok", 2, 750}},
		{"C27 503 to a POST", "POST", []string{response(503, "", "Retry-After: 1")}, nil, nil, outcome{probe.Down, "status", retry.StopUnsafeAfterResponse, "status", 1, 0}},
		{"409 to a keyed POST", "POST", []string{response(409, ""), ok}, key, nil, outcome{probe.Flaky, "", retry.StopSuccess, "status ok", 2, 750}},
		{"C48 asks for 7 s", "GET", []string{response(429, "", "Retry-After: 7"), ok}, nil, nil, outcome{probe.Flaky, "", retry.StopSuccess, "status ok", 2, 7250}},
		{"C49 asks by IMF-fixdate", "GET", []string{date(http.TimeFormat), ok}, nil, nil, outcome{probe.Flaky, "", retry.StopSuccess, "status ok", 2, 20250}},
		{"C49 asks by RFC 850", "GET", []string{date("Monday, 02-Jan-06 15:04:05 GMT"), ok}, nil, nil, outcome{probe.Flaky, "", retry.StopSuccess, "status ok", 2, 20250}},
		{"C49 asks by asctime", "GET", []string{date(time.ANSIC), ok}, nil, nil, outcome{probe.Flaky, "", retry.StopSuccess, "status ok", 2, 20250}},
		{"C50 asks for an hour", "GET", []string{response(429, "", "Retry-After: 3600"), ok}, nil, nil, outcome{probe.Down, "status", retry.StopRetryAfterOverMax, "status", 1, 0}},
		{"asks for 20 digits", "GET", []string{response(429, "", "Retry-After: 99999999999999999999"), ok}, nil, nil,
			outcome{probe.Down, "status", retry.StopRetryAfterOverMax, "status", 1, 0}},
		{"asks beside what is permanent", "GET", []string{response(404, "", "Retry-After: 7"), ok}, nil, nil, outcome{probe.Down, "status", retry.StopPermanent, "status", 1, 0}},
		{"C59 loop", "GET", []string{response(302, "", "Location: /")}, nil, nil, outcome{probe.Down, "redirect_loop", retry.StopPermanent, "redirect_loop", 11, 0}},
		{"C62 101", "GET", []string{"HTTP/1.1 101 X\r\n\r\n"}, nil, nil, outcome{probe.Down, "status", retry.StopPermanent, "status", 1, 0}},
		{"a wrong body", "GET", []string{ok}, func(s *HTTP) { s.Expect.Body.Contains = Texts{"x"} }, nil,
			outcome{probe.Down, "assertion", retry.StopPermanent, "assertion", 1, 0}},
		{"a POST that became a GET", "POST", []string{response(302, "", "Location: /"), closes}, nil, nil,
			outcome{probe.Down, "stale_connection", retry.StopUnsafeAfterResponse, "stale_connection", 2, 0}},
	} {
		t.Run(test.id, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(w *world) {
				seen := w.replies(here, test.replies...)
				policy := policyS()
				if test.policy != nil {
					test.policy(&policy)
				}
				s := w.http("http://"+here+"/", method(test.method))
				if test.change != nil {
					test.change(s)
				}
				r := w.run(s, policy)
				got := outcome{r.Verdict, r.Reason, r.Stop, reasonsOf(r), len(*seen), r.Duration}
				test.want.Took *= time.Millisecond
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("run (-want +got):\n%s", diff)
				}
				if keys := keysIn(*seen); s.IdempotencyKey != "" && len(keys) != 1 {
					t.Errorf("the keys of one run are %v, want one", keys)
				}
			})
		})
	}
}

// reasonsOf lists the attempts' reasons, ok for those that passed, in parentheses for transparent ones.
func reasonsOf(r *probe.Result) string {
	var all []string
	for _, a := range r.Attempts {
		text := string(a.Reason)
		if a.OK {
			text = "ok"
		}
		if a.Transparent {
			text = "(" + text + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func keysIn(requests []*http.Request) map[string]bool {
	keys := map[string]bool{}
	for _, r := range requests {
		keys[r.Header.Get("Idempotency-Key")] = true
	}
	return keys
}

// TestStaleConnectionIsMendedAtOnce makes two runs; the connection dies as the second sends on it.
func TestStaleConnectionIsMendedAtOnce(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{"GET": "stale_connection (ok)", "POST": "stale_connection ok"} {
		inBubble(t, func(w *world) {
			seen := w.replies(here, response(200, "fine"), closes, response(200, "fine"))
			s := w.http("http://"+here+"/", func(s *HTTP) { s.Method = method })
			p := &probe.Probe{Name: "p", Target: s.Target(), Host: s.Host(), Policy: policyS()}
			env := standard
			env.Interval = time.Second // due again before the connection is too old
			p.Prober = prober(t, s, env)
			first := p.Run(context.Background(), half(), probe.Sinks{})
			second := p.Run(context.Background(), half(), probe.Sinks{})
			if reasonsOf(first) != "ok" || reasonsOf(second) != want || len(*seen) != 3 {
				t.Errorf("%s: runs are %q and %q with %d requests, want %q", method, reasonsOf(first), reasonsOf(second), len(*seen), want)
			}
		})
	}
}

// TestConnectionsBetweenRuns looks whether the second run finds a connection: only where the probe is
// due again before the idle timeout.
func TestConnectionsBetweenRuns(t *testing.T) {
	t.Parallel()
	for interval, want := range map[time.Duration]bool{10 * time.Second: true, 24 * time.Hour: false, 0: false} {
		inBubble(t, func(w *world) {
			w.replies(here, response(200, "fine"))
			s := w.http("http://" + here + "/")
			env := standard
			env.Interval = interval
			p := &probe.Probe{Name: "p", Host: s.Host(), Policy: policyS(), Prober: prober(t, s, env)}
			p.Run(context.Background(), half(), probe.Sinks{})
			r := p.Run(context.Background(), half(), probe.Sinks{})
			if got := r.Last().Reused; got != want {
				t.Errorf("at an interval of %v the connection was reused: %v, want %v", interval, got, want)
			}
		})
	}
}

// TestRunErrorsShowNothing looks at the error and the record of a run whose URL is full of secrets, and
// whose target echoes them.
func TestRunErrorsShowNothing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(w *world) {
		w.handle(here, func(rw http.ResponseWriter, r *http.Request) {
			rw.WriteHeader(503)
			fmt.Fprint(rw, r.Header, r.URL)
		})
		s := w.http("http://user:hunter2@"+here+"/?token=t0ps3cret", func(s *HTTP) { s.Headers = map[string]string{"X-Auth": "h3ader"} })
		r := w.run(s, policyS())
		shown := r.Err.Error()
		for _, a := range r.Attempts {
			shown += fmt.Sprintf(" %s %s %+v", a.Err, a.HTTP.BodyHead, a.HTTP)
		}
		for _, secret := range []string{"hunter2", "t0ps3cret", "h3ader", "dXNlcjpodW50ZXIy"} {
			if strings.Contains(shown, secret) {
				t.Errorf("%s is shown in %s", secret, shown)
			}
		}
		if want := "probe p at http://" + here + "/?token=<secret>: status 503, want 2xx (attempts: 4, stop: attempts)"; r.Err.Error() != want {
			t.Errorf("error is %s, want %s", r.Err, want)
		}
	})
}
