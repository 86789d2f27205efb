package kinds_test

import (
	"context"
	"io"
	"sync"
	"time"

	"sonde/probe"
)

// ledger is a sink that keeps all that it is told, beside what really happened: every call of a prober
// is in it, with the instants at which it began and ended.
type ledger struct {
	mu     sync.Mutex
	open   map[string]*entry // by the probe's name: the run that is going on
	done   []*entry
	limits map[string]probe.Limits
}

// entry is one run: what the prober was asked, what the sink was told.
type entry struct {
	calls  []call
	told   []probe.Attempt
	result *probe.Result
	ended  time.Time
}

// call is one call of a prober.
type call struct {
	try        probe.Try
	began, end time.Time
}

func newLedger() *ledger {
	return &ledger{open: map[string]*entry{}, limits: map[string]probe.Limits{}}
}

func (l *ledger) entry(name string) *entry {
	if l.open[name] == nil {
		l.open[name] = &entry{}
	}
	return l.open[name]
}

func (l *ledger) called(name string, c call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entry(name)
	e.calls = append(e.calls, c)
}

func (l *ledger) Declare(*probe.Probe) {}
func (l *ledger) Forget(*probe.Probe)  {}

func (l *ledger) AttemptDone(p *probe.Probe, a *probe.Attempt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entry(p.Name)
	e.told = append(e.told, *a)
}

func (l *ledger) RunDone(r *probe.Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entry(r.Probe.Name)
	e.result, e.ended = r, time.Now()
	l.done = append(l.done, e)
	delete(l.open, r.Probe.Name)
}

// turnPage forgets the runs so far, and returns them.
func (l *ledger) turnPage() []*entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	done := l.done
	l.done = nil
	return done
}

// watched is a prober whose calls are in the ledger.
type watched struct {
	probe.Prober
	ledger *ledger
	name   string
}

func (w *watched) Probe(ctx context.Context, t probe.Try) probe.Attempt {
	c := call{try: t, began: time.Now()}
	a := w.Prober.Probe(ctx, t)
	c.end = time.Now()
	w.ledger.called(w.name, c)
	return a
}

func (w *watched) Rest() {
	if r, ok := w.Prober.(probe.Rester); ok {
		r.Rest()
	}
}

func (w *watched) Close() error {
	if c, ok := w.Prober.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
