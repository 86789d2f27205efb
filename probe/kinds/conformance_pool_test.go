package kinds_test

import (
	"fmt"
	"time"

	"sonde/probe"
	"sonde/probe/kinds"
	"sonde/probe/retry"
)

func maxBody(n kinds.Size) change { return func(s *setup) { s.http.Expect.MaxBody = n } }

func budget(ratio, floor, burst float64) change {
	return func(s *setup) { s.policy.Budget = retry.Budget{Ratio: ratio, FloorPerSecond: floor, Burst: burst} }
}

// fiftyAtOnce makes the runs of fifty probes of one host, and returns one that the budget stopped at once.
func fiftyAtOnce(l *lab, _ *probe.Probe) *probe.Result {
	done := make(chan *probe.Result)
	for i := range 50 {
		p := l.probe(fmt.Sprint("p", i))
		go func() { done <- l.run(p) }()
	}
	var stopped *probe.Result
	var longest time.Duration
	for range 50 {
		r := <-done
		longest = max(longest, r.Duration)
		if r.Verdict != probe.Down || r.Reason != probe.ReasonStatus {
			l.t.Errorf("a run ended %s, want the failure's own reason", end(r))
		}
		if r.Stop == retry.StopBudget && len(r.Attempts) == 1 {
			stopped = r
		}
	}
	got := l.numbers()
	if most := 3 + 5 + int(longest.Seconds()); got["sonde_retries_total"] > most || got["sonde_budget_denied_total"] == 0 {
		l.t.Errorf("%d retries and %d denied, want at most %d and some", got["sonde_retries_total"], got["sonde_budget_denied_total"], most)
	}
	return stopped
}

// queued checks how long the attempt stood in the queue.
func queued(d time.Duration) func(*lab, *probe.Result) {
	return func(l *lab, r *probe.Result) {
		if got := r.Last().Phases[probe.PhaseQueue]; got != d {
			l.t.Errorf("the attempt stood in the queue for %v, want %v", got, d)
		}
	}
}

// behindOneElsewhere makes the run, at the other site, while a connection to the first is in use or idle.
func behindOneElsewhere(l *lab, p *probe.Probe) *probe.Result {
	return behindAnother(l, l.probe("elsewhere", func(s *setup) { s.host = there }))
}
