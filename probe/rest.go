package probe

import (
	"fmt"

	"sonde/probe/retry"
)

// rest lets the prober rest after the run. A panic there must not end the process either.
func (r *running) rest() {
	rester, ok := r.probe.Prober.(Rester)
	if !ok {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			r.result.upset(Panicked(v))
		}
	}()
	rester.Rest()
}

// upset takes a panic after the last attempt into the result. A run that has failed stays what it is, and its
// error leads to both; one that has passed is no longer believed. The panic may quote a secret, as an attempt's may.
func (r *Result) upset(p *PanicError) {
	masked := r.Probe.Secrets.Error(p)
	if !r.Verdict.Passed() {
		e := r.Err.(*RunError)
		e.Err = fmt.Errorf("%w; then %w", e.Err, masked)
		return
	}
	r.Verdict, r.Reason, r.Stop = Unknown, ReasonInternal, retry.StopPermanent
	e := r.wrap(nil).(*RunError)
	e.Err = masked
	r.Err = e
}
