// Package status shows the last runs of every probe on one page, worst first, to people and to curl.
// It keeps a fixed amount for each probe, however long it runs and whatever its target sends.
package status

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// Board keeps what the page shows. It is a probe.Sink and an http.Handler; its methods are safe for
// concurrent use.
type Board struct {
	version string
	mu      sync.RWMutex // of the map, not of what is in it
	rows    map[string]*row
	file    file // has its own lock
	share   atomic.Pointer[Share]
}

var (
	_ probe.Seated = (*Board)(nil)
	_ probe.Seat   = (*row)(nil)
)

// New makes a board of no probe. version is the program's, for the foot of the page.
func New(version string) *Board { return &Board{version: cleanText(version), rows: map[string]*row{}} }

// row is what is kept of one probe. There may be a hundred thousand of them.
type row struct {
	mu      sync.Mutex
	probe   *probe.Probe
	history history
	last    outcome
	failure *failure // nil when there was none
}

// outcome is how the last run ended, beside its verdict, which is the newest of the history.
type outcome struct {
	attempts int // transparent ones not counted
	took     time.Duration
	ended    int64 // nanoseconds since 1970
}

// failure is the last run that did not simply pass.
type failure struct {
	reason probe.Reason
	text   string // cleaned and cut
	ended  time.Time
	tries  []try
}

// Declare puts a probe on the page. One that replaces another of its name keeps that one's runs.
func (b *Board) Declare(p *probe.Probe) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.rows[p.Name]
	if r == nil {
		r = &row{}
		b.rows[p.Name] = r
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.probe = p
}

// AttemptDone does nothing: the page shows runs.
func (b *Board) AttemptDone(*probe.Probe, *probe.Attempt) {}

// RunDone shows a run. Of a probe that is not declared nothing is shown.
func (b *Board) RunDone(result *probe.Result) {
	if r := b.row(result.Probe); r != nil {
		r.RunDone(result)
	}
}

// Seat is where the runs of a declared probe are kept.
func (b *Board) Seat(p *probe.Probe) probe.Seat {
	if r := b.row(p); r != nil {
		return r
	}
	return b
}

// row is a probe's; nil when it is not declared.
func (b *Board) row(p *probe.Probe) *row {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.rows[p.Name]
}

// AttemptDone does nothing: the page shows runs.
func (r *row) AttemptDone(*probe.Probe, *probe.Attempt) {}

// RunDone keeps a run.
func (r *row) RunDone(result *probe.Result) {
	last, failed := outcomeOf(result), failureOf(result)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = last
	r.history = r.history.with(result.Verdict)
	if failed != nil {
		r.failure = failed
	}
}

// Forget takes a probe off the page.
func (b *Board) Forget(p *probe.Probe) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.rows, p.Name)
}

func outcomeOf(r *probe.Result) outcome {
	return outcome{took: r.Duration, ended: r.Started.Add(r.Duration).UnixNano(), attempts: r.Charged()}
}

// failureOf is why a run failed, or which failure made it flaky; nil when there is none. A run that was
// canceled failed for nothing.
func failureOf(r *probe.Result) *failure {
	if r.Verdict == probe.Up {
		return nil
	}
	f := &failure{ended: r.Started.Add(r.Duration)}
	switch {
	case r.Stop == retry.StopCanceled:
	case r.Verdict == probe.Flaky:
		f.reason, f.text = lastMended(r)
	default:
		f.reason, f.text = r.Reason, clean(cause(r.Err))
	}
	if f.reason == "" {
		return nil
	}
	f.tries = triesOf(r)
	return f
}

// lastMended is the last failure of the target's in a run that passed.
func lastMended(r *probe.Result) (probe.Reason, string) {
	for i := len(r.Attempts) - 1; i >= 0; i-- {
		if a := &r.Attempts[i]; !a.OK && a.Reason.Blame() == probe.OfTarget {
			return a.Reason, clean(a.Err)
		}
	}
	return "", ""
}

// cause is what made a run fail, without the names and counts that the page shows elsewhere.
func cause(err error) error {
	var run *probe.RunError
	if errors.As(err, &run) {
		return run.Err
	}
	return err
}
