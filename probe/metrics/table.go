package metrics

import (
	"sonde/probe"
	"sonde/probe/retry"
)

// Table is the table of metrics by subject, with the closed sets that label values come from. It is there
// for whoever makes a page of it, and holds no prose but each family's own.
type Table struct {
	Runs, Attempts, State, Process []Family
	// LastRun are the families under blackbox_exporter's names. Kept ends the help of each of them.
	LastRun []Family
	Kept    string
	// The values of the labels verdict, source, cause and phase, and of stop, which are those with which a
	// run can end as down. Those of reason are probe.Reasons.
	Verdicts []probe.Verdict
	Stops    []retry.Stop
	Sources  []retry.Source
	Causes   []probe.SkipCause
	Phases   []string
	// MaxBuckets is how many populated native buckets a histogram has before its resolution is halved.
	MaxBuckets int
}

// Describe is the table of metrics. Its lists are not to be changed.
func Describe() Table {
	return Table{
		Runs: runFamilies, Attempts: attemptFamilies, State: stateFamilies, Process: processFamilies,
		LastRun: targetFamilies, Kept: kept,
		Verdicts: probe.Verdicts(), Stops: failedStops(), Sources: sources[:], Causes: skips[:], Phases: phases,
		MaxBuckets: maxBuckets,
	}
}

// failedStops are the stops with which a run can end as down.
func failedStops() []retry.Stop {
	var list []retry.Stop
	for _, s := range stops {
		if s != retry.StopSuccess && s != retry.StopCanceled {
			list = append(list, s)
		}
	}
	return list
}
