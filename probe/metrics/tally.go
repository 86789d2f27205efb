package metrics

import "sync/atomic"

// tally is a sorted list of keys, each with a count, eight bytes an entry: the key is in the upper 16
// bits, the count in the lower 48. It holds what a probe has seen of a large set of which it usually
// meets a few: reasons, and the buckets of histograms. One goroutine at a time may write; any number may
// read meanwhile, see state.
type tally struct {
	// Its owner's bits are how many entries are in use and, above usedBits, the tag.
	words words
}

const (
	countBits = 48
	countMask = 1<<countBits - 1
	usedBits  = 16
	usedMask  = 1<<usedBits - 1
)

// entry is one key of a tally and its count.
type entry struct {
	key   uint16
	count uint64
}

func unpack(word uint64) entry { return entry{key: uint16(word >> countBits), count: word & countMask} }
func (e entry) pack() uint64   { return uint64(e.key)<<countBits | e.count&countMask }

// entries are those in use.
func (t *tally) entries() []atomic.Uint64 {
	list := t.words.load()
	if list == nil {
		return nil
	}
	return list[1 : 1+min(int(own(list)&usedMask), len(list)-1)]
}

// tag is a small number that the tally's owner keeps with it, 0 at first.
func (t *tally) tag() uint16 {
	if list := t.words.load(); list != nil {
		return uint16(own(list) >> usedBits)
	}
	return 0
}

// set says how many entries are in use, of which there is one at least, and the tag.
func (t *tally) set(used int, tag uint16) { setOwn(t.words.load(), uint64(tag)<<usedBits|uint64(used)) }

// add adds n to the count of a key.
func (t *tally) add(key uint16, n uint64) {
	list := t.entries()
	at := place(list, key)
	if at < len(list) && unpack(list[at].Load()).key == key {
		list[at].Add(n)
		return
	}
	t.insert(at, entry{key, n})
}

// place is where in a list the key is, or belongs.
func place(list []atomic.Uint64, key uint16) int {
	low, high := 0, len(list)
	for low < high {
		middle := int(uint(low+high) >> 1)
		if unpack(list[middle].Load()).key < key {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// insert makes room at a place and puts an entry there.
func (t *tally) insert(at int, e entry) {
	tag := t.tag()
	list, used := t.room()
	for i := used; i > at; i-- {
		list[i].Store(list[i-1].Load())
	}
	list[at].Store(e.pack())
	t.set(used+1, tag)
}

// room is the list with at least one free place, and how many are in use. It grows by what Go's sizes of
// memory leave no hole in, and by a quarter when it is long, so that little is left unused.
func (t *tally) room() (list []atomic.Uint64, used int) {
	all, old := t.words.load(), t.entries()
	if len(old)+1 < len(all) {
		return all[1:], len(old)
	}
	list = t.words.renew(max(4, len(all)+2, len(all)+len(all)/4&^1))[1:]
	for i := range old {
		list[i].Store(old[i].Load())
	}
	return list, len(old)
}

// each hands out the entries, sorted by key.
func (t *tally) each(f func(entry)) {
	list := t.entries()
	for i := range list {
		f(unpack(list[i].Load()))
	}
}

// read appends the entries, sorted by key, to a list.
func (t *tally) read(to []entry) []entry {
	t.each(func(e entry) { to = append(to, e) })
	return to
}

// shrink makes the entries, which are sorted by key, the only ones, in no more room than they need.
func (t *tally) shrink(entries []entry, tag uint16) {
	t.words.renew(1 + len(entries))
	t.fill(entries, tag)
}

// fill makes the entries the only ones; they are sorted by key and not more than there were.
func (t *tally) fill(entries []entry, tag uint16) {
	list := t.words.load()
	for i, e := range entries {
		list[1+i].Store(e.pack())
	}
	t.set(len(entries), tag)
}

// clear takes all entries away, and the tag.
func (t *tally) clear() { t.words.first.Store(nil) }
