package main

import (
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"
)

// fine is how many bits of a duration a histogram keeps: its bins are a thousandth wide.
const fine = 10

// histogram counts durations in bins that are a thousandth of their value wide, up to more than an
// hour. It may be used by any number of goroutines. Its zero value is not ready: see newHistogram.
type histogram struct {
	bins []atomic.Uint64
	most atomic.Int64
}

func newHistogram() *histogram { return &histogram{bins: make([]atomic.Uint64, 34<<fine)} }

// record counts d; what is below zero counts as zero.
func (h *histogram) record(d time.Duration) {
	d = max(d, 0)
	h.bins[min(binOf(uint64(d)), len(h.bins)-1)].Add(1)
	for {
		most := h.most.Load()
		if int64(d) <= most || h.most.CompareAndSwap(most, int64(d)) {
			return
		}
	}
}

// binOf keeps the first bits of v, and how many follow them.
func binOf(v uint64) int {
	if v < 1<<fine {
		return int(v)
	}
	shift := bits.Len64(v) - fine - 1
	return (shift+1)<<fine + int(v>>shift) - 1<<fine
}

// middle is the middle of a bin.
func middle(bin int) time.Duration {
	if bin < 1<<fine {
		return time.Duration(bin)
	}
	shift := bin>>fine - 1
	low := uint64(bin&(1<<fine-1)+1<<fine) << shift
	return time.Duration(low + 1<<shift/2)
}

// reset forgets all. What is recorded meanwhile may be lost in part.
func (h *histogram) reset() {
	for i := range h.bins {
		h.bins[i].Store(0)
	}
	h.most.Store(0)
}

// spread is what a report tells of many durations, in seconds; NaN of none.
type spread struct {
	N             uint64
	P50, P99, Max number
}

// read is the spread of what has been recorded.
func (h *histogram) read() spread {
	counts := make([]uint64, len(h.bins))
	s := spread{P50: nothing, P99: nothing, Max: nothing}
	for i := range h.bins {
		counts[i] = h.bins[i].Load()
		s.N += counts[i]
	}
	if s.N == 0 {
		return s
	}
	s.P50, s.P99 = quantileOf(counts, s.N, 0.5), quantileOf(counts, s.N, 0.99)
	s.Max = number(time.Duration(h.most.Load()).Seconds())
	return s
}

func quantileOf(counts []uint64, n uint64, q float64) number {
	rank, seen := uint64(math.Ceil(q*float64(n))), uint64(0)
	for bin, c := range counts {
		if seen += c; seen >= rank && c > 0 {
			return number(middle(bin).Seconds())
		}
	}
	return nothing
}

// median is the middle of the numbers that are there, or nothing.
func median(numbers []number) number {
	there := present(numbers)
	n := len(there)
	if n == 0 {
		return nothing
	}
	return (there[(n-1)/2] + there[n/2]) / 2
}

// present is the numbers that are there, sorted.
func present(numbers []number) []number {
	var there []number
	for _, n := range numbers {
		if n.there() {
			there = append(there, n)
		}
	}
	slices.Sort(there)
	return there
}
