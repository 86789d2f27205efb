package probe_test

import (
	"errors"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// restless panics when it is to rest.
type restless struct{ *script }

func (restless) Rest() { panic("a bug in hunter2") }

// A panic after the last attempt ends no process, and tells no secret. What passed is not believed, what failed stays failed.
func TestAPanicOfAProberThatIsToRest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		step    step
		verdict probe.Verdict
		reason  probe.Reason
		text    string
	}{
		{passes(), probe.Unknown, probe.ReasonInternal, "probe shop at : the prober panicked: a bug in <secret> (attempts: 1, stop: permanent)"},
		{fails(probe.ReasonTLSCertExpired), probe.Down, probe.ReasonTLSCertExpired,
			"probe shop at : tls_cert_expired: connecting to 192.0.2.1:80: connection refused; then the prober panicked: a bug in <secret> (attempts: 1, stop: permanent)"},
	} {
		s := &script{steps: []step{c.step}}
		p := &probe.Probe{Name: "shop", Kind: "script", Interval: time.Minute, Prober: restless{s}, Policy: retry.Policy{Attempts: 1}}
		p.Secrets.Add("hunter2")
		r := p.Run(t.Context(), new(retry.Engine), s)
		checkResult(t, r)
		if r.Verdict != c.verdict || r.Reason != c.reason || r.Err.Error() != c.text {
			t.Errorf("%s for %q: %v\nwant %s for %q: %s", r.Verdict, r.Reason, r.Err, c.verdict, c.reason, c.text)
		}
		var panicked *probe.PanicError
		if !errors.As(r.Err, &panicked) || len(panicked.Stack) == 0 || s.events[len(s.events)-1] != "run "+string(c.verdict) {
			t.Errorf("the error %v does not lead to the stack, or the sink was told %q", r.Err, s.events)
		}
	}
}
