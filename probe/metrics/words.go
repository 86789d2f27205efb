package metrics

import (
	"sync/atomic"
	"unsafe"
)

// words are atomics in one piece of memory that knows how long it is, so that what leads to it is one word:
// a slice could not be read at once, and one behind a pointer takes a piece of memory more. The first word
// is the owner's, but for its lowest bits, which are how many words there are. The zero value has none.
type words struct{ first atomic.Pointer[atomic.Uint64] }

const (
	lengthBits = 16
	lengthMask = 1<<lengthBits - 1
)

// load is all the words; nil when there are none.
func (w *words) load() []atomic.Uint64 {
	first := w.first.Load()
	if first == nil {
		return nil
	}
	return unsafe.Slice(first, int(first.Load()&lengthMask)) // their number never changes
}

// renew puts so many words, the first one included, in the place of those that were there.
func (w *words) renew(n int) []atomic.Uint64 {
	list := make([]atomic.Uint64, n)
	list[0].Store(uint64(n))
	w.first.Store(&list[0])
	return list
}

// own is what is in the owner's bits of the first word.
func own(list []atomic.Uint64) uint64 { return list[0].Load() >> lengthBits }

// setOwn sets them.
func setOwn(list []atomic.Uint64, bits uint64) {
	list[0].Store(bits<<lengthBits | uint64(len(list)))
}
