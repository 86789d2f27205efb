package metrics

import "sync/atomic"

// tally is a sorted list of keys, each with a count, eight bytes an entry: the key is in the upper 16
// bits, the count in the lower 48. It holds what a probe has seen of a large set of which it usually
// meets a few: reasons, and the buckets of native histograms. One goroutine at a time may write; any
// number may read meanwhile, see state.
type tally struct {
	entries atomic.Pointer[[]atomic.Uint64]
	used    atomic.Int32
}

const (
	countBits = 48
	countMask = 1<<countBits - 1
)

// entry is one key of a tally and its count.
type entry struct {
	key   uint16
	count uint64
}

func unpack(word uint64) entry { return entry{key: uint16(word >> countBits), count: word & countMask} }
func (e entry) pack() uint64   { return uint64(e.key)<<countBits | e.count&countMask }

// add adds n to the count of a key.
func (t *tally) add(key uint16, n uint64) {
	list, at := t.find(key)
	if at < int(t.used.Load()) && unpack(list[at].Load()).key == key {
		list[at].Add(n)
		return
	}
	t.insert(at, entry{key, n})
}

// find is the list and the place in it where the key is, or belongs.
func (t *tally) find(key uint16) (list []atomic.Uint64, at int) {
	if p := t.entries.Load(); p != nil {
		list = *p
	}
	low, high := 0, int(t.used.Load())
	for low < high {
		middle := int(uint(low+high) >> 1)
		if unpack(list[middle].Load()).key < key {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return list, low
}

// insert makes room at a place and puts an entry there.
func (t *tally) insert(at int, e entry) {
	list := t.room()
	used := int(t.used.Load())
	for i := used; i > at; i-- {
		list[i].Store(list[i-1].Load())
	}
	list[at].Store(e.pack())
	t.used.Store(int32(used + 1))
}

// room is the list with at least one free place. It grows by a quarter, so that little is left unused.
func (t *tally) room() []atomic.Uint64 {
	var old []atomic.Uint64
	if p := t.entries.Load(); p != nil {
		old = *p
	}
	if used := int(t.used.Load()); used < len(old) {
		return old
	}
	list := make([]atomic.Uint64, len(old)+len(old)/4+2)
	for i := range old {
		list[i].Store(old[i].Load())
	}
	t.entries.Store(&list)
	return list
}

// read appends the entries, sorted by key, to a list.
func (t *tally) read(to []entry) []entry {
	t.each(func(e entry) { to = append(to, e) })
	return to
}

// each hands out the entries, sorted by key.
func (t *tally) each(f func(entry)) {
	p := t.entries.Load()
	if p == nil {
		return
	}
	list := *p
	for i := range list[:min(int(t.used.Load()), len(list))] {
		f(unpack(list[i].Load()))
	}
}

// replace makes the entries the only ones; they are sorted by key and not more than there were.
func (t *tally) replace(entries []entry) {
	list := *t.entries.Load()
	for i, e := range entries {
		list[i].Store(e.pack())
	}
	t.used.Store(int32(len(entries)))
}

// shrink makes the entries, which are sorted by key, the only ones, in no more room than they need.
func (t *tally) shrink(entries []entry) {
	list := make([]atomic.Uint64, len(entries))
	t.entries.Store(&list)
	t.replace(entries)
}
