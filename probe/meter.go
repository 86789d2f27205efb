package probe

import "time"

// SkipCause says why a due run did not start; a closed set of label values.
type SkipCause string

// Why a due run did not start.
const (
	SkipOverlap  SkipCause = "overlap"  // the probe's last run was still going
	SkipOverload SkipCause = "overload" // no slot was free until the next due time
	SkipClock    SkipCause = "clock"    // due times that a clock step or a suspended process passed over
)

// SkipCauses lists every SkipCause.
func SkipCauses() []SkipCause { return []SkipCause{SkipOverlap, SkipOverload, SkipClock} }

// Meter takes what the scheduler sees of itself. It must be safe for concurrent use.
type Meter interface {
	// Lag tells by how much a run started after its due time.
	Lag(d time.Duration)
	// Skipped tells that n due runs of a probe did not start.
	Skipped(p *Probe, cause SkipCause, n int)
}
