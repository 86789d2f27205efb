package metrics

import (
	"math"
	"sync/atomic"
	"time"

	dto "github.com/prometheus/client_model/go"

	"sonde/probe"
)

// The native side of every histogram: buckets grow by 2^(1/8), the widest step that is at most a factor
// of 1.1. More than maxBuckets populated ones halve the resolution; it never comes back, since that
// would need a reset, and a counter that goes back reads as a restart.
const (
	bucketFactor  = 1.1
	firstSchema   = 3
	lastSchema    = -4
	maxBuckets    = 160
	zeroThreshold = 0x1p-128
)

// fractions are the lower bounds of the eight buckets between 0.5 and 1 at firstSchema.
var fractions = [8]float64{
	0.5, 0.5452538663326288, 0.5946035575013605, 0.6484197773255048,
	0.7071067811865475, 0.7711054127039704, 0.8408964152537144, 0.9170040432046711,
}

// bucketKey is the native bucket of a value above 0 at a schema; its upper bound is 2^(key·2^−schema).
func bucketKey(value float64, schema int32) int {
	fraction, exponent := math.Frexp(value)
	at := 0
	for at < len(fractions) && fractions[at] < fraction {
		at++
	}
	key := at + (exponent-1)*len(fractions)
	for s := int32(firstSchema); s > schema; s-- {
		key = halve(key)
	}
	return key
}

// halve is the bucket that a bucket falls into when the resolution is halved.
func halve(key int) int { return (key + 1) >> 1 }

// maxBounds is the greatest number of classic bounds that a family has.
const maxBounds = 14

// Both sides of a histogram share one tally. The key of a classic bucket is its place among the bounds,
// maxBounds at most; that of a native one is its bucket, which may be negative, and keyBias, which puts
// every duration's above zeroKey, which is that of the native bucket of zeros.
const (
	keyBias = 1 << 15
	zeroKey = maxBounds + 1
)

// sides says which buckets a histogram has.
type sides uint8

const (
	classicSide sides = 1 << iota
	nativeSide
	bothSides = classicSide | nativeSide
)

func sidesOf(h probe.Histograms) sides {
	switch h {
	case probe.HistogramsOff:
		return 0
	case probe.HistogramsClassic:
		return classicSide
	case probe.HistogramsNative:
		return nativeSide
	}
	return bothSides
}

// histogram is a classic and a native histogram of durations in one. Its writer and readers are those
// of state.
type histogram struct {
	sum atomic.Uint64 // the bits of a float64, in seconds
	// buckets are not cumulative. Their tag is how often the resolution of the native side was halved.
	buckets tally
}

// observe adds a duration to some sides; below 0 is taken as 0.
func (h *histogram) observe(d time.Duration, bounds []float64, to sides) {
	v := max(0, d.Seconds())
	h.sum.Store(math.Float64bits(math.Float64frombits(h.sum.Load()) + v))
	if to&classicSide != 0 {
		at := 0
		for at < len(bounds) && bounds[at] < v {
			at++
		}
		h.buckets.add(uint16(at), 1)
	}
	if to&nativeSide != 0 {
		h.observeNative(v)
	}
}

func (h *histogram) observeNative(v float64) {
	if v <= zeroThreshold {
		h.buckets.add(zeroKey, 1)
		return
	}
	schema := h.schema()
	h.buckets.add(uint16(bucketKey(v, schema)+keyBias), 1)
	if list := h.buckets.entries(); schema > lastSchema && len(list) > maxBuckets && len(list)-place(list, zeroKey+1) > maxBuckets {
		h.widen()
	}
}

// schema is the resolution of the native side.
func (h *histogram) schema() int32 { return firstSchema - int32(h.buckets.tag()) }

// widen halves the resolution of the native buckets.
func (h *histogram) widen() {
	var wide []entry
	for _, e := range h.buckets.read(nil) {
		if e.key > zeroKey {
			e.key = uint16(halve(int(e.key)-keyBias) + keyBias)
		}
		if last := len(wide) - 1; last >= 0 && wide[last].key == e.key {
			wide[last].count += e.count
			continue
		}
		wide = append(wide, e)
	}
	h.buckets.fill(wide, h.buckets.tag()+1)
}

// keep drops what is not of some sides.
func (h *histogram) keep(those sides) {
	var kept []entry
	for _, e := range h.buckets.read(nil) {
		if e.side()&those != 0 {
			kept = append(kept, e)
		}
	}
	tag := h.buckets.tag()
	if those&nativeSide == 0 {
		tag = 0
	}
	h.buckets.shrink(kept, tag)
}

// clear forgets all that was observed.
func (h *histogram) clear() {
	h.sum.Store(0)
	h.buckets.clear()
}

// side is which side's an entry of a histogram's tally is.
func (e entry) side() sides {
	if e.key < zeroKey {
		return classicSide
	}
	return nativeSide
}

// distribution is a copy of a histogram.
type distribution struct {
	sides   sides // 0 when there is no histogram
	count   uint64
	sum     float64
	zeros   uint64
	schema  int32
	buckets []entry // of the native side; sorted; the keys are biased by keyBias
	classic [maxBounds + 1]uint64
}

// read copies the histogram as one of some sides. The native buckets are copied only where they are wanted;
// they are counted in any case.
func (h *histogram) read(d *distribution, has sides, native bool) {
	*d = distribution{sides: has, schema: firstSchema, buckets: d.buckets[:0]}
	if has == 0 {
		return
	}
	d.sum = math.Float64frombits(h.sum.Load())
	d.schema = h.schema()
	classic, other := uint64(0), uint64(0)
	h.buckets.each(func(e entry) {
		switch {
		case e.side() == classicSide:
			d.classic[e.key] = e.count
			classic += e.count
			return
		case e.key == zeroKey:
			d.zeros = e.count
		case native:
			d.buckets = append(d.buckets, e)
		}
		other += e.count
	})
	if d.count = other; has&classicSide != 0 {
		d.count = classic
	}
}

// proto is the distribution as client_golang's own histogram would write it.
func (d *distribution) proto(bounds []float64) *dto.Histogram {
	h := &dto.Histogram{SampleCount: new(d.count), SampleSum: new(d.sum)}
	if d.sides&classicSide != 0 {
		count := uint64(0)
		for i, bound := range bounds {
			count += d.classic[i]
			h.Bucket = append(h.Bucket, &dto.Bucket{CumulativeCount: new(count), UpperBound: new(bound)})
		}
	}
	if d.sides&nativeSide != 0 {
		h.Schema, h.ZeroThreshold, h.ZeroCount = new(d.schema), new(zeroThreshold), new(d.zeros)
		h.PositiveSpan, h.PositiveDelta = d.spans()
	}
	return h
}

// maxGap is how many empty buckets cost less as buckets than as the beginning of another span.
const maxGap = 2

// spans are the native buckets in the form of the exposition: runs of neighbours, and the difference of
// each count to the one before.
func (d *distribution) spans() (spans []*dto.BucketSpan, deltas []int64) {
	next, previous := 0, int64(0)
	push := func(count int64) {
		*spans[len(spans)-1].Length++
		deltas = append(deltas, count-previous)
		previous = count
	}
	for i, e := range d.buckets {
		key := int(e.key) - keyBias
		if gap := key - next; i == 0 || gap > maxGap {
			spans = append(spans, &dto.BucketSpan{Offset: new(int32(gap)), Length: new(uint32(0))})
		} else {
			for range gap {
				push(0)
			}
		}
		push(int64(e.count))
		next = key + 1
	}
	return spans, deltas
}
