package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A quantile may be off by the width of a bin, a thousandth, whatever the durations are.
func TestHistogramQuantiles(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	h := newHistogram()
	var all []time.Duration
	for range 10001 {
		d := time.Duration(math.Exp(random.Float64() * math.Log(float64(time.Hour))))
		all = append(all, d)
		h.record(d)
	}
	slices.Sort(all)
	s := h.read()
	for _, tt := range []struct {
		name string
		got  number
		want time.Duration
	}{{"p50", s.P50, all[5000]}, {"p99", s.P99, all[9900]}, {"max", s.Max, all[10000]}} {
		want := tt.want.Seconds()
		if off := math.Abs(float64(tt.got)-want) / want; off > 0.001 {
			t.Errorf("%s is %v s, want %v s", tt.name, tt.got, want)
		}
	}
	if s.N != 10001 {
		t.Errorf("N is %d, want 10001", s.N)
	}
}

func TestHistogramEnds(t *testing.T) {
	t.Parallel()
	h := newHistogram()
	if s := h.read(); s.N != 0 || s.P50.there() || s.P99.there() || s.Max.there() {
		t.Errorf("of nothing it reads %+v, want nothing", s)
	}
	h.record(-time.Second)
	if s := h.read(); s.P99 != 0 || s.Max != 0 {
		t.Errorf("of -1s it reads %+v, want zeros", s)
	}
	h.record(1 << 62)
	if s := h.read(); s.N != 2 || s.Max != number(time.Duration(1<<62).Seconds()) {
		t.Errorf("with a duration above the last bin it reads %+v, want it as max", s)
	}
	h.reset()
	if s := h.read(); s.N != 0 {
		t.Errorf("after reset it reads %+v, want nothing", s)
	}
}

func TestBinsFollowEachOther(t *testing.T) {
	t.Parallel()
	for v := uint64(1); v < 1<<40; v += 1 + v/5000 {
		if before, bin := binOf(v-1), binOf(v); bin != before && bin != before+1 {
			t.Fatalf("%d is in bin %d, %d in bin %d, want the same or the next", v-1, before, v, bin)
		}
		if m := uint64(middle(binOf(v))); binOf(m) != binOf(v) {
			t.Fatalf("the middle of the bin of %d is %d, which is in another", v, m)
		}
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		of   []number
		want number
	}{{[]number{3, 1, 2}, 2}, {[]number{4, 1, 2, 3}, 2.5}, {[]number{nothing, 7}, 7}} {
		if got := median(tt.of); got != tt.want {
			t.Errorf("median of %v is %v, want %v", tt.of, got, tt.want)
		}
	}
	if got := median([]number{nothing}); got.there() {
		t.Errorf("median of nothing is %v, want nothing", got)
	}
}
