package metrics

import (
	"time"

	"sonde/probe"
)

// snapshot is a copy of a state, as it stood between two writes.
type snapshot struct {
	probe       *probe.Probe
	counters    [int(numCounters) + len(skips)]uint64 // the skips come last
	waited      [len(sources)]time.Duration
	reasons     []entry
	runTime     distribution
	attemptTime distribution
	verdict     int // as in state
	lastRun     int64
	lastSuccess int64
	facts       factSheet
}

// read copies the state, the native buckets only where they are wanted. It takes no lock that a writer
// takes.
func (s *state) read(to *snapshot, native bool) {
	s.guard.read(func() {
		to.probe = s.probe.Load()
		to.counters = [len(to.counters)]uint64{}
		for i := range s.frequent {
			to.counters[i] = s.frequent[i].Load()
		}
		for i := range s.waited {
			to.waited[i] = time.Duration(s.waited[i].Load())
		}
		to.happened(&s.events)
		sides := sidesOf(to.probe.Metrics.Histograms)
		s.runTime.read(&to.runTime, sides, native)
		s.attemptTime.read(&to.attemptTime, sides, native)
		to.verdict = int(s.verdict.Load())
		to.lastRun, to.lastSuccess = s.lastRun.Load(), s.lastSuccess.Load()
		s.facts.read(&to.facts)
	})
}

// happened copies a tally of reasons and rare counters.
func (s *snapshot) happened(t *tally) {
	s.reasons = s.reasons[:0]
	t.each(func(e entry) {
		if e.what() != ofEvents {
			s.reasons = append(s.reasons, e)
		} else if at := int(e.key & (1<<(reasonBits+stopBits) - 1)); at < len(s.counters) {
			s.counters[at] = e.count
		}
	})
}
