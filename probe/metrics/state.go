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
	runFailures
	runsFlaky
	runsUnknown
	attempts
	resends
	ambiguous
	denied
	numCounters
)

// sources are the values of the label source, skips those of cause, verdicts those of verdict.
var (
	verdicts = probe.Verdicts()
	sources  = [...]retry.Source{retry.FromBackoff, retry.FromRetryAfter}
	skips    = [...]probe.SkipCause{probe.SkipOverlap, probe.SkipOverload, probe.SkipClock}
)

// state is all the numbers of one probe. It outlives the Probe: a changed one goes on in it.
type state struct {
	guard
	probe    atomic.Pointer[probe.Probe]
	previous probe.Reason // the failure before, within a run; of the writer only

	counters    [numCounters]atomic.Uint64
	waited      [len(sources)]atomic.Int64 // nanoseconds
	skipped     [len(skips)]atomic.Uint64
	reasons     tally // see reason.go
	runTime     histogram
	attemptTime histogram

	verdict     atomic.Int32 // the place in verdicts, from 1; 0 before the first run
	lastRun     atomic.Int64 // nanoseconds since 1970; 0 is never
	lastSuccess atomic.Int64
	facts       facts
}

// attempted counts an attempt that has ended. Of a transparent one only the resend and how long it took
// are counted; a canceled one is neither a failure nor a measurement.
func (s *state) attempted(a *probe.Attempt) {
	s.begin()
	defer s.end()
	if a.Reason != probe.ReasonCanceled {
		s.attemptTime.observe(a.Duration, attemptBounds)
	}
	if a.Transparent {
		s.counters[resends].Add(1)
	} else {
		s.charged(a)
	}
	s.previous = a.Reason
}

func (s *state) charged(a *probe.Attempt) {
	s.counters[attempts].Add(1)
	if a.Number > 1 {
		s.reasons.add(reasonKey(ofRetries, s.previous, ""), 1)
	}
	if a.Ambiguous {
		s.counters[ambiguous].Add(1)
	}
	if !a.OK && a.Reason != probe.ReasonCanceled {
		s.reasons.add(reasonKey(ofAttempts, a.Reason, ""), 1)
	}
}

// ended counts a run that has ended.
func (s *state) ended(r *probe.Result) {
	var sheet factSheet
	sheet.fill(r)
	s.begin()
	defer s.end()
	s.count(r)
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
		s.runTime.observe(r.Duration, runBounds)
		s.facts.store(&sheet)
	}
}

func (s *state) count(r *probe.Result) {
	switch r.Verdict {
	case probe.Unknown:
		s.counters[runsUnknown].Add(1)
	case probe.Down:
		s.counters[runFailures].Add(1)
		s.reasons.add(reasonKey(ofRuns, r.Reason, r.Stop), 1)
	case probe.Flaky:
		s.counters[runsFlaky].Add(1)
	}
	if r.Verdict != probe.Unknown {
		s.counters[runs].Add(1)
	}
	if r.Stop == retry.StopBudget {
		s.counters[denied].Add(1)
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
			s.skipped[i].Add(uint64(n))
		}
	}
}

// snapshot is a copy of a state, as it stood between two writes.
type snapshot struct {
	probe       *probe.Probe
	counters    [numCounters]uint64
	waited      [len(sources)]time.Duration
	skipped     [len(skips)]uint64
	reasons     []entry
	runTime     distribution
	attemptTime distribution
	verdict     int // as in state
	lastRun     int64
	lastSuccess int64
	facts       factSheet
}

// read copies the state. It takes no lock that a writer takes.
func (s *state) read(to *snapshot) {
	s.guard.read(func() {
		to.probe = s.probe.Load()
		for i := range s.counters {
			to.counters[i] = s.counters[i].Load()
		}
		for i := range s.waited {
			to.waited[i] = time.Duration(s.waited[i].Load())
		}
		for i := range s.skipped {
			to.skipped[i] = s.skipped[i].Load()
		}
		to.reasons = s.reasons.read(to.reasons[:0])
		s.runTime.read(&to.runTime)
		s.attemptTime.read(&to.attemptTime)
		to.verdict = int(s.verdict.Load())
		to.lastRun, to.lastSuccess = s.lastRun.Load(), s.lastSuccess.Load()
		s.facts.read(&to.facts)
	})
}
