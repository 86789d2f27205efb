package metrics

import (
	"math"
	"sync/atomic"
	"time"

	dto "github.com/prometheus/client_model/go"
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

// keyBias makes bucket keys, which may be negative, sort as tally keys do.
const keyBias = 1 << 15

// maxBounds is the greatest number of classic bounds that a family has.
const maxBounds = 14

// histogram is a classic and a native histogram of durations in one. Its writer and readers are those
// of state.
type histogram struct {
	sum     atomic.Uint64 // the bits of a float64, in seconds
	zeros   atomic.Uint64
	schema  atomic.Int32 // 0 stands for firstSchema, -1 for the next wider, and so on
	buckets tally
	classic [maxBounds + 1]atomic.Uint64 // not cumulative; what is above all bounds comes after the last
}

// observe adds a duration; below 0 is taken as 0.
func (h *histogram) observe(d time.Duration, bounds []float64) {
	v := max(0, d.Seconds())
	at := 0
	for at < len(bounds) && bounds[at] < v {
		at++
	}
	h.classic[at].Add(1)
	h.sum.Store(math.Float64bits(math.Float64frombits(h.sum.Load()) + v))
	if v <= zeroThreshold {
		h.zeros.Add(1)
		return
	}
	h.buckets.add(uint16(bucketKey(v, firstSchema+h.schema.Load())+keyBias), 1)
	if h.buckets.used.Load() > maxBuckets && firstSchema+h.schema.Load() > lastSchema {
		h.widen()
	}
}

// widen halves the resolution of the native buckets.
func (h *histogram) widen() {
	var wide []entry
	for _, e := range h.buckets.read(nil) {
		key := uint16(halve(int(e.key)-keyBias) + keyBias)
		if last := len(wide) - 1; last >= 0 && wide[last].key == key {
			wide[last].count += e.count
			continue
		}
		wide = append(wide, entry{key, e.count})
	}
	h.buckets.replace(wide)
	h.schema.Add(-1)
}

// distribution is a copy of a histogram.
type distribution struct {
	sum     float64
	zeros   uint64
	schema  int32
	buckets []entry // sorted; the keys are biased by keyBias
	classic [maxBounds + 1]uint64
}

func (h *histogram) read(d *distribution) {
	d.sum = math.Float64frombits(h.sum.Load())
	d.zeros = h.zeros.Load()
	d.schema = firstSchema + h.schema.Load()
	d.buckets = h.buckets.read(d.buckets[:0])
	for i := range h.classic {
		d.classic[i] = h.classic[i].Load()
	}
}

// proto is the distribution as client_golang's own histogram would write it.
func (d *distribution) proto(bounds []float64) *dto.Histogram {
	buckets := make([]*dto.Bucket, len(bounds))
	var count uint64
	for i, bound := range bounds {
		count += d.classic[i]
		buckets[i] = &dto.Bucket{CumulativeCount: new(count), UpperBound: new(bound)}
	}
	count += d.classic[len(bounds)]
	spans, deltas := d.spans()
	return &dto.Histogram{
		SampleCount: &count, SampleSum: new(d.sum), Bucket: buckets,
		Schema: new(d.schema), ZeroThreshold: new(zeroThreshold), ZeroCount: new(d.zeros),
		PositiveSpan: spans, PositiveDelta: deltas,
	}
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
