package metrics

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// guard lets one writer at a time change a group of atomics, and any number of readers copy all of them
// as they stood between two writes. A writer never waits for a reader: the reader copies again when a
// write came in between.
type guard struct {
	writers sync.Mutex
	writes  atomic.Uint32 // odd while a write is going on
}

func (g *guard) begin() {
	g.writers.Lock()
	g.writes.Add(1)
}

func (g *guard) end() {
	g.writes.Add(1)
	g.writers.Unlock()
}

// read calls copy until nothing was written meanwhile. copy may see half a write before, so it must
// bear any content.
func (g *guard) read(copy func()) {
	for {
		before := g.writes.Load()
		if before%2 == 0 {
			copy()
			if g.writes.Load() == before {
				return
			}
		}
		runtime.Gosched()
	}
}

// counter is a counter without labels of its own.
type counter int

const (
	runs counter = iota
	attempts
	runFailures // this one and those below are rare
	runsFlaky
	runsUnknown
	resends
	ambiguous
	denied
	numCounters
)

// numFrequent is how many counters have a place of their own. The others, and the skips after them, are
// in the tally, where only what has happened takes room.
const numFrequent = runFailures

// sources are the values of the label source, skips those of cause, verdicts those of verdict.
var (
	verdicts = probe.Verdicts()
	sources  = [...]retry.Source{retry.FromBackoff, retry.FromRetryAfter}
	skips    = [...]probe.SkipCause{probe.SkipOverlap, probe.SkipOverload, probe.SkipClock}
)

// state is all the numbers of one probe. It outlives the Probe: a changed one goes on in it. What has
// not happened takes little room: an idle probe is 128 bytes.
type state struct {
	guard
	previous uint16 // the place of the reason of the failure before, within a run; of the writer only
	probe    atomic.Pointer[probe.Probe]

	frequent    [numFrequent]atomic.Uint64
	waited      [len(sources)]atomic.Int64 // nanoseconds
	events      tally                      // see reason.go
	runTime     histogram
	attemptTime histogram
	facts       facts // of the last run that is known

	verdict     atomic.Int32 // the place in verdicts, from 1; 0 before the first run
	lastRun     atomic.Int64 // nanoseconds since 1970; 0 is never
	lastSuccess atomic.Int64
}

// become makes the state that of a probe, also of one that has run on another's numbers. A histogram
// that is to have buckets which were not counted begins anew, as after a restart; what is no longer
// shown is let go.
func (s *state) become(p *probe.Probe) {
	s.begin()
	defer s.end()
	old := s.probe.Swap(p)
	if old == nil {
		return
	}
	was, is := sidesOf(old.Metrics.Histograms), sidesOf(p.Metrics.Histograms)
	for _, h := range []*histogram{&s.runTime, &s.attemptTime} {
		switch {
		case is == 0 || is&^was != 0:
			h.clear()
		case is != was:
			h.keep(is)
		}
	}
	if p.Metrics.NoGauges {
		s.facts.clear()
	}
}

// observe adds a duration to a histogram.
func (s *state) observe(h *histogram, d time.Duration, bounds []float64) {
	if to := sidesOf(s.probe.Load().Metrics.Histograms); to != 0 {
		h.observe(d, bounds, to)
	}
}

// count adds to a counter.
func (s *state) count(c counter, n uint64) {
	if c < numFrequent {
		s.frequent[c].Add(n)
		return
	}
	s.events.add(uint16(ofEvents)<<(reasonBits+stopBits)|uint16(c), n)
}

var _ probe.Seat = (*state)(nil)

// AttemptDone counts an attempt that has ended. Of a transparent one only the resend and how long it took
// are counted; a canceled one is neither a failure nor a measurement.
func (s *state) AttemptDone(_ *probe.Probe, a *probe.Attempt) {
	s.begin()
	defer s.end()
	if a.Reason != probe.ReasonCanceled {
		s.observe(&s.attemptTime, a.Duration, attemptBounds)
	}
	if a.Transparent {
		s.count(resends, 1)
	} else {
		s.charged(a)
	}
	s.previous = placeOf(a.Reason)
}

func (s *state) charged(a *probe.Attempt) {
	s.count(attempts, 1)
	if a.Number > 1 {
		s.events.add(reasonKey(ofRetries, s.previous, ""), 1)
	}
	if a.Ambiguous {
		s.count(ambiguous, 1)
	}
	if !a.OK && a.Reason != probe.ReasonCanceled {
		s.events.add(reasonKey(ofAttempts, placeOf(a.Reason), ""), 1)
	}
}

// RunDone counts a run that has ended.
func (s *state) RunDone(r *probe.Result) {
	var sheet factSheet
	sheet.fill(r)
	s.begin()
	defer s.end()
	s.counted(r)
	end := r.Started.Add(r.Duration).UnixNano()
	s.lastRun.Store(end)
	if r.Verdict.Passed() {
		s.lastSuccess.Store(end)
	}
	for i, v := range verdicts {
		if v == r.Verdict {
			s.verdict.Store(int32(i + 1))
		}
	}
	if r.Verdict != probe.Unknown {
		s.observe(&s.runTime, r.Duration, runBounds)
		s.note(&sheet)
	}
}

// note keeps the facts of a run.
func (s *state) note(sheet *factSheet) {
	if !s.probe.Load().Metrics.NoGauges {
		s.facts.store(sheet)
	}
}

func (s *state) counted(r *probe.Result) {
	switch r.Verdict {
	case probe.Unknown:
		s.count(runsUnknown, 1)
	case probe.Down:
		s.count(runFailures, 1)
		s.events.add(reasonKey(ofRuns, placeOf(r.Reason), r.Stop), 1)
	case probe.Flaky:
		s.count(runsFlaky, 1)
	}
	if r.Verdict != probe.Unknown {
		s.count(runs, 1)
	}
	if r.Stop == retry.StopBudget {
		s.count(denied, 1)
	}
	for i := range r.Attempts {
		s.waits(&r.Attempts[i])
	}
}

// waits adds what was really waited after an attempt.
func (s *state) waits(a *probe.Attempt) {
	for i, source := range sources {
		if a.WaitSource == source {
			s.waited[i].Add(int64(a.Waited))
		}
	}
}

func (s *state) skip(cause probe.SkipCause, n int) {
	s.begin()
	defer s.end()
	for i, c := range skips {
		if c == cause {
			s.count(numCounters+counter(i), uint64(n))
		}
	}
}
