package status

import (
	"fmt"
	"slices"
	"strings"

	"sonde/probe"
)

// history is the verdicts of the last runs, three bits each, the newest in the lowest.
type history uint64

const (
	historyBits   = 3
	historyLength = 20
)

// verdicts are the verdicts, worst first; in a history they count from 1.
var verdicts = probe.Verdicts()

// with is the history after one more run.
func (h history) with(v probe.Verdict) history {
	at := slices.Index(verdicts, v) + 1
	return (h<<historyBits | history(at)) & (1<<(historyBits*historyLength) - 1)
}

// newest is the last verdict; empty when there is none.
func (h history) newest() probe.Verdict {
	if at := int(h & (1<<historyBits - 1)); at > 0 {
		return verdicts[at-1]
	}
	return ""
}

// list is the verdicts, oldest first.
func (h history) list() []probe.Verdict {
	var list []probe.Verdict
	for i := historyLength - 1; i >= 0; i-- {
		if at := int(h >> (historyBits * i) & (1<<historyBits - 1)); at > 0 {
			list = append(list, verdicts[at-1])
		}
	}
	return list
}

// String says the history in words: `last 3 runs: 1 down, 2 up; newest: up`.
func (h history) String() string {
	list := h.list()
	if len(list) == 0 {
		return "not yet run"
	}
	count := map[probe.Verdict]int{}
	for _, v := range list {
		count[v]++
	}
	var parts []string
	for _, v := range verdicts {
		if n := count[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	return fmt.Sprintf("last %d: %s; newest: %s", len(list), strings.Join(parts, ", "), list[len(list)-1])
}

// shape is a verdict's shape, so that none is told by colour alone.
func shape(v probe.Verdict) string {
	switch v {
	case probe.Up:
		return "●"
	case probe.Flaky:
		return "◆"
	case probe.Down:
		return "■"
	case probe.Unknown:
		return "?"
	}
	return "○"
}
