package metrics

import (
	"slices"

	"sonde/probe"
	"sonde/probe/retry"
)

// A tally key of a reason is what is counted (2 bits), the place of the reason in probe.Reasons (8) and
// that of the stop in retry.Stops (4), 0 where there is none. Of an event it is the place of the counter.

// tallied says what is counted by reason.
type tallied int

const (
	ofAttempts tallied = iota // failed attempts
	ofRetries                 // attempts after the first, by the failure before
	ofRuns                    // failed runs, by stop too
	ofEvents                  // no reason at all, but a counter that is rare
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
func reasonKey(what tallied, reason uint16, stop retry.Stop) uint16 {
	return uint16(what)<<(reasonBits+stopBits) | reason<<stopBits | stopAt[stop]
}

// placeOf is a reason's place. That of one which is not in the table is internal's.
func placeOf(r probe.Reason) uint16 {
	if at, ok := reasonAt[r]; ok {
		return at
	}
	return reasonAt[probe.ReasonInternal]
}

// what is what an entry counts.
func (e entry) what() tallied { return tallied(e.key >> (reasonBits + stopBits)) }

// byReason hands out a series for each reason of what is counted, and of failed runs for each stop, in
// the order of the tables. Of a probe that is counted without reasons it is one, without those labels.
func (s *snapshot) byReason(what tallied, out values) {
	list := s.of(what)
	if s.probe.Metrics.NoReasons {
		sum := uint64(0)
		for _, e := range list {
			sum += e.count
		}
		out.value(float64(sum))
		return
	}
	for _, e := range list {
		reason := reasonLabels[e.key>>stopBits&(1<<reasonBits-1)]
		if what == ofRuns {
			out.value(float64(e.count), reason[0], string(stops[e.key&(1<<stopBits-1)]))
			continue
		}
		out.value(float64(e.count), reason...)
	}
}

// of is the entries of what is counted.
func (s *snapshot) of(what tallied) []entry {
	from, _ := slices.BinarySearchFunc(s.reasons, what, func(e entry, what tallied) int { return int(e.what() - what) })
	to := from
	for to < len(s.reasons) && s.reasons[to].what() == what {
		to++
	}
	return s.reasons[from:to]
}

// reasonLabels are the values of the label reason, each as the only one of its series.
var reasonLabels = labelValuesOf(reasons)

// labelValuesOf are the values of a closed set, each as the only one of its series, so that a scrape
// need not make them anew.
func labelValuesOf[T ~string](set []T) [][]string {
	list := make([][]string, len(set))
	for i, v := range set {
		list[i] = []string{string(v)}
	}
	return list
}
