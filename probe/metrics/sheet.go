package metrics

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
)

// sheetRows is how many probes are on a sheet; after as many a scrape lets others run.
const sheetRows = 128

// sheet is the numbers of some probes as they stood when a scrape began. A text form has all of one
// family together, so that every probe is needed once a family; without a copy its families would be
// of different moments.
type sheet struct {
	rows  [sheetRows]row
	used  int
	bytes []byte // of the labels
}

// row is one probe's numbers and labels.
type row struct {
	snapshot
	labels block
}

// sheets are those that no scrape is using.
var sheets = sync.Pool{New: func() any { return new(sheet) }}

// release gives a sheet back, with nothing on it that belongs to a probe.
func (s *sheet) release() {
	for i := range s.rows[:s.used] {
		row := &s.rows[i]
		row.probe, row.labels, row.facts.tlsVersion = nil, block{}, ""
	}
	s.used = 0
	sheets.Put(s)
}

// add copies a probe's numbers, unless they are not wanted.
func (s *sheet) add(of *state, wanted *selection) {
	if !wanted.takes(of.probe.Load()) {
		return
	}
	row := &s.rows[s.used]
	s.used++
	of.read(&row.snapshot, false)
	row.labels, s.bytes = blockOf(row.probe, s.bytes)
}

// take copies the numbers of the wanted probes, in the order of their names, unless ctx ends. What is
// taken must be released.
func (r *Recorder) take(ctx context.Context, wanted *selection) (list []*sheet) {
	for states := range slices.Chunk(r.inOrder(), sheetRows) {
		if ctx.Err() != nil {
			break
		}
		last := len(list) - 1
		if last < 0 || list[last].used+len(states) > sheetRows {
			list, last = append(list, sheets.Get().(*sheet)), last+1
			list[last].bytes = list[last].bytes[:0]
		}
		for _, s := range states {
			list[last].add(s, wanted)
		}
		runtime.Gosched()
	}
	return list
}

// inOrder is all states, sorted by the names of their probes. It is the recorder's to keep.
func (r *Recorder) inOrder() []*state {
	r.joining.RLock()
	list, sorted, changes := r.sorted, r.sorted != nil, r.changes
	if !sorted {
		list = slices.AppendSeq(make([]*state, 0, len(r.states)), maps.Values(r.states))
	}
	r.joining.RUnlock()
	if sorted {
		return list
	}
	slices.SortFunc(list, func(a, b *state) int { return cmp.Compare(a.probe.Load().Name, b.probe.Load().Name) })
	r.joining.Lock()
	if changes == r.changes {
		r.sorted = list
	}
	r.joining.Unlock()
	return list
}
