package metrics

import (
	"slices"

	"sonde/probe"
	"sonde/probe/retry"
)

// A tally key of a reason is what is counted (2 bits), the place of the reason in probe.Reasons (8) and
// that of the stop in retry.Stops (4), 0 where there is none.

// tallied says what is counted by reason.
type tallied int

const (
	ofAttempts tallied = iota // failed attempts
	ofRetries                 // attempts after the first, by the failure before
	ofRuns                    // failed runs, by stop too
)

const (
	stopBits   = 4
	reasonBits = 8
)

var (
	reasons  = reasonList()
	stops    = retry.Stops()
	reasonAt = places(reasons)
	stopAt   = places(stops)
)

func reasonList() []probe.Reason {
	var list []probe.Reason
	for _, r := range probe.Reasons() {
		list = append(list, r.Reason)
	}
	return list
}

func places[T comparable](list []T) map[T]uint16 {
	m := make(map[T]uint16, len(list))
	for i, v := range list {
		m[v] = uint16(i)
	}
	return m
}

// reasonKey is the tally key. The sets are closed, so that a label takes no other value: a reason that
// is not in the table is a bug of ours and counts as internal.
func reasonKey(what tallied, reason probe.Reason, stop retry.Stop) uint16 {
	at, ok := reasonAt[reason]
	if !ok {
		at = reasonAt[probe.ReasonInternal]
	}
	return uint16(what)<<(reasonBits+stopBits) | at<<stopBits | stopAt[stop]
}

// byReason calls f for each reason and stop of what is counted, in the order of the tables.
func (s *snapshot) byReason(what tallied, f func(r probe.Reason, stop retry.Stop, n uint64)) {
	low := uint16(what) << (reasonBits + stopBits)
	at, _ := slices.BinarySearchFunc(s.reasons, low, func(e entry, key uint16) int { return int(e.key) - int(key) })
	for _, e := range s.reasons[at:] {
		if e.key>>(reasonBits+stopBits) != uint16(what) {
			return
		}
		f(reasons[e.key>>stopBits&(1<<reasonBits-1)], stops[e.key&(1<<stopBits-1)], e.count)
	}
}
