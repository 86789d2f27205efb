package kinds_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// laws holds what is true after every case, whatever it was about, of the runs since it was last asked.
func (l *lab) laws() {
	l.t.Helper()
	var sum tally
	for _, e := range l.ledger.turnPage() {
		check := lawyer{T: l.t, entry: e, result: e.result, exact: l.mem != nil, limits: l.ledger.limits[e.result.Probe.Name]}
		check.counted()
		check.timed()
		check.named()
		check.evident()
		check.discreet()
		sum.add(e)
	}
	sum.compare(l)
	if text := spoken(); text != "" {
		l.t.Errorf("standard error was given: %s", text)
	}
}

// lawyer holds one run against the laws.
type lawyer struct {
	*testing.T
	entry  *entry
	result *probe.Result
	exact  bool // time is virtual
	limits probe.Limits
}

// lostConnection is true of an attempt after which the next one goes out on a fresh connection.
func lostConnection(a probe.Attempt) bool {
	return a.Reason == probe.ReasonDisconnected || a.Reason == probe.ReasonStaleConnection
}

// counted: each call of the prober is one attempt, told once, under its number.
func (c *lawyer) counted() {
	c.Helper()
	r, p := c.result, c.result.Probe.Policy
	if len(c.entry.calls) != len(r.Attempts) || len(c.entry.told) != len(r.Attempts) {
		c.Errorf("%d attempts were started, %d told and %d kept", len(c.entry.calls), len(c.entry.told), len(r.Attempts))
		return
	}
	charged, transparent := 0, 0
	for i, a := range r.Attempts {
		if a.Transparent {
			transparent++
		} else {
			charged++
		}
		try := c.entry.calls[i].try
		if a.Number != charged || try.Number != charged || try.Fresh != (a.Transparent || i > 0 && lostConnection(r.Attempts[i-1])) || try.Key != c.entry.calls[0].try.Key {
			c.Errorf("attempt %d of the record has number %d, transparent %v, and was asked as %+v", i, a.Number, a.Transparent, try)
		}
		if told := c.entry.told[i]; told.Reason != a.Reason || told.Number != a.Number || told.Wait != a.Wait {
			c.Errorf("the sink was told %+v, the record is %+v", told, a)
		}
	}
	if charged > max(1, p.Attempts) || transparent > p.Transparent {
		c.Errorf("%d attempts and %d transparent ones, want at most %d and %d", charged, transparent, p.Attempts, p.Transparent)
	}
}

// timed: phases sum to the attempt, attempts and waits to the run, and no end or limit is passed.
func (c *lawyer) timed() {
	c.Helper()
	r, whole := c.result, time.Duration(0)
	for i, a := range r.Attempts {
		var sum time.Duration
		for p, d := range a.Phases {
			sum += d
			if d < 0 {
				c.Errorf("attempt %d: phase %v took %v", a.Number, probe.Phase(p), d)
			}
		}
		took := c.entry.calls[i].end.Sub(c.entry.calls[i].began)
		if sum != a.Duration || sum > took || c.exact && sum != took {
			c.Errorf("attempt %d: the phases sum to %v, the attempt took %v and says %v", a.Number, sum, took, a.Duration)
		}
		if c.exact && c.limits.Total > 0 && took > c.limits.Total {
			c.Errorf("attempt %d took %v, past its total of %v", a.Number, took, c.limits.Total)
		}
		if a.Wait < 0 || a.Waited < 0 || c.exact && a.Waited > a.Wait || a.Wait > 0 && a.WaitSource == "" {
			c.Errorf("attempt %d: planned wait %v (source %q), waited %v", a.Number, a.Wait, a.WaitSource, a.Waited)
		}
		whole += took + a.Waited
	}
	if c.exact && whole != r.Duration {
		c.Errorf("attempts and waits sum to %v, the run took %v", whole, r.Duration)
	}
	if d := r.Probe.Policy.Deadline; c.exact && d > 0 && r.Duration > d {
		c.Errorf("the run took %v, past its deadline of %v", r.Duration, d)
	}
	if last := r.Last(); last != nil && r.Stop != retry.StopCanceled && r.Stop != retry.StopDeadline &&
		r.Stop != retry.StopBatchDeadline && last.Wait != 0 {
		c.Errorf("a wait of %v was planned after the last attempt", last.Wait)
	}
}

// named: a failure has a reason of the closed set, and an error that leads to the recorded one.
func (c *lawyer) named() {
	c.Helper()
	r := c.result
	for _, a := range r.Attempts {
		if a.OK != (a.Reason == "") || a.OK != (a.Err == nil) || !a.OK && !a.Reason.Known() || a.OK && a.Limit != "" {
			c.Errorf("attempt %d: ok %v, reason %q, limit %q, error %v", a.Number, a.OK, a.Reason, a.Limit, a.Err)
		}
	}
	if r.Verdict.Passed() {
		if r.Err != nil || r.Reason != "" || r.Stop != retry.StopSuccess {
			c.Errorf("verdict %s, reason %q, stop %s, error %v", r.Verdict, r.Reason, r.Stop, r.Err)
		}
		return
	}
	var run *probe.RunError
	if !r.Reason.Known() || !errors.As(r.Err, &run) || run.Stop != r.Stop {
		c.Errorf("verdict %s, reason %q, stop %s, error %v", r.Verdict, r.Reason, r.Stop, r.Err)
		return
	}
	for _, leaf := range c.leaves() {
		if !errors.Is(r.Err, leaf) {
			c.Errorf("the error %q does not lead to %q", r.Err, leaf)
		}
	}
}

// leaves are what the run's error must lead to: the last attempt's error, or, of a run that was cut,
// what cut it and the last real failure.
func (c *lawyer) leaves() []error {
	r := c.result
	cut := map[retry.Stop]error{
		retry.StopDeadline: retry.ErrDeadline, retry.StopBatchDeadline: retry.ErrBatchDeadline, retry.StopCanceled: context.Canceled,
	}[r.Stop]
	if cut == nil {
		return []error{r.Last().Err}
	}
	leaves := []error{cut}
	for _, a := range slices.Backward(r.Attempts) {
		if a.Reason != "" && a.Reason.Blame() == probe.OfTarget {
			return append(leaves, a.Err)
		}
	}
	return leaves
}

// evident: what a reason says and how far the evidence says that the request got do not contradict.
func (c *lawyer) evident() {
	c.Helper()
	for _, a := range c.result.Attempts {
		turned := a.HTTP != nil && len(a.HTTP.Hops) > 0 && a.Method != "GET"
		if want := evidenceOf[family(a.Reason)]; want != "" && !turned && !strings.Contains(want, letter(a.Evidence)) {
			c.Errorf("attempt %d failed for %s with evidence %s", a.Number, a.Reason, a.Evidence)
		}
		if a.OK && a.Evidence != probe.Answered {
			c.Errorf("attempt %d passed with evidence %s", a.Number, a.Evidence)
		}
		if a.Reason != "" && a.Phase < probe.PhaseWrite && a.Evidence != probe.NeverSent && !turned {
			c.Errorf("attempt %d failed in phase %s with evidence %s", a.Number, a.Phase, a.Evidence)
		}
	}
}

// family is the reason, or what it begins with where all of its kind come before a request.
func family(r probe.Reason) string {
	for _, prefix := range []string{"dns_", "connect_", "tls_cert_"} {
		if strings.HasPrefix(string(r), prefix) {
			return prefix
		}
	}
	return string(r)
}

// evidenceOf is, by reason, which evidence it can have.
var evidenceOf = map[string]string{
	"dns_": "N", "connect_": "N", "tls_cert_": "N", "tls_closed": "N", "tls_not_tls": "N", "local_resource": "N",
	"pool_timeout": "N", "limit_connect": "N", "limit_sock_connect": "N", "limit_sock_read": "UW",
	"disconnected": "NU", "stale_connection": "NU", "tls_alert": "NRU", "header_truncated": "W", "body_truncated": "W",
	"body_corrupt": "W", "status": "W", "assertion": "W", "redirect_loop": "W", "redirect_invalid": "W",
	"proxy_connect": "N", "proxy_status": "NW", "h2_refused": "R", "h2_stream_reset": "UW", "h2_goaway": "UW",
}

// letter is how the table writes an evidence.
func letter(e probe.Evidence) string {
	return map[probe.Evidence]string{
		probe.NeverSent: "N", probe.Refused: "R", probe.Unanswered: "U", probe.Answered: "W",
	}[e]
}

// discreet: nothing that users see holds a credential.
func (c *lawyer) discreet() {
	c.Helper()
	for _, a := range c.result.Attempts {
		text := fmt.Sprint(a.Err, c.result.Err, c.result.Probe.Target)
		if a.HTTP != nil {
			text += fmt.Sprint(a.HTTP.URL, a.HTTP.BodyHead, a.HTTP.Hops)
		}
		if strings.Contains(text, password) || strings.Contains(text, token) {
			c.Errorf("a credential is in %s", text)
		}
	}
}
