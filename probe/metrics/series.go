package metrics

import (
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// Series is how many time series Prometheus keeps of a probe, a classic histogram counted as its
// buckets, its sum and its count.
type Series struct {
	// Steady is at most how many there are once a run has passed and while none fails. What a target
	// need not show, such as Last-Modified, is counted.
	Steady int
	// EachReason is how many more there are for each reason with which its runs fail.
	EachReason int
}

// SeriesOf reckons the series of a probe. It plays a run that passes and one that fails to a state of
// the probe's own and counts what the table of families makes of it, so that it cannot differ from a
// scrape.
func SeriesOf(p *probe.Probe) Series {
	s := &state{}
	s.become(p)
	enact(s, &probe.Result{Probe: p, Verdict: probe.Up, Attempts: []probe.Attempt{shown(p)}})
	steady := s.series()
	failed := shown(p)
	failed.OK, failed.Reason = false, probe.ReasonStatus
	tries := []probe.Attempt{failed}
	if p.Policy.Attempts > 1 {
		failed.Number = 2
		tries = append(tries, failed)
	}
	enact(s, &probe.Result{
		Probe: p, Verdict: probe.Down, Reason: probe.ReasonStatus, Stop: retry.StopAttempts, Attempts: tries,
	})
	return Series{Steady: steady, EachReason: s.series() - steady}
}

// enact counts a run.
func enact(s *state, r *probe.Result) {
	r.Started = time.Unix(1, 0)
	for i := range r.Attempts {
		s.AttemptDone(r.Probe, &r.Attempts[i])
	}
	s.RunDone(r)
}

// shown is an attempt that passed and shows all that one of the probe can show.
func shown(p *probe.Probe) probe.Attempt {
	then := time.Unix(1, 0)
	a := probe.Attempt{Number: 1, OK: true}
	if s, says := p.Prober.(probe.Securer); !says || s.Secures() {
		a.TLS = &probe.TLSFacts{Version: "TLS 1.3", EarliestExpiry: then, LastChainExpiry: then}
	}
	if p.Kind == kindHTTP {
		a.HTTP = &probe.HTTP{LastModified: then}
	}
	return a
}

// series counts the series that the state has in a scrape.
func (s *state) series() int {
	var at snapshot
	s.read(&at, false)
	n := 0
	for i := range families {
		if f := &families[i]; f.read != nil {
			f.read(&at, &seriesCount{family: f, n: &n})
		}
	}
	return n
}

// seriesCount counts what is handed to it.
type seriesCount struct {
	family *Family
	n      *int
}

func (c *seriesCount) value(float64, ...string) { *c.n++ }

// histogram counts a bucket above all bounds, the sum and the count, and a bucket for each bound.
func (c *seriesCount) histogram(d *distribution) {
	*c.n += 3
	if d.sides&classicSide != 0 {
		*c.n += len(c.family.Bounds)
	}
}
