package probe

import "sonde/probe/retry"

// The causes with which a run's context is ended by time; see package retry. Anything else is a
// cancellation.
var (
	ErrDeadline      = retry.ErrDeadline
	ErrBatchDeadline = retry.ErrBatchDeadline
)
