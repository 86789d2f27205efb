package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/testing/protocmp"
)

// theirs is client_golang's own histogram under our settings.
func theirs(bounds []float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "h", Buckets: bounds, NativeHistogramBucketFactor: bucketFactor, NativeHistogramMaxBucketNumber: maxBuckets,
	})
}

func written(t *testing.T, m prometheus.Metric) *dto.Histogram {
	t.Helper()
	var out dto.Metric
	if err := m.Write(&out); err != nil {
		t.Fatal(err)
	}
	out.Histogram.CreatedTimestamp = nil
	return out.Histogram
}

// TestHistogramEqualsTheLibrarys compares with client_golang's histogram after the same observations, at
// every step of the way: what is populated, what is merged when there are too many buckets, and how
// buckets are written as spans and deltas.
func TestHistogramEqualsTheLibrarys(t *testing.T) {
	draws := map[string]func(r *rand.Rand) time.Duration{
		"milliseconds":  func(r *rand.Rand) time.Duration { return time.Duration(r.Int64N(int64(50 * time.Millisecond))) },
		"all durations": func(r *rand.Rand) time.Duration { return time.Duration(1) << r.IntN(62) >> r.IntN(3) },
		"wide and even": func(r *rand.Rand) time.Duration { return time.Duration(math.Exp(r.Float64() * 43)) },
		"bounds": func(r *rand.Rand) time.Duration {
			return seconds(runBounds[r.IntN(len(runBounds))]) + time.Duration(r.IntN(3)-1)
		},
		"powers of two": func(r *rand.Rand) time.Duration { return seconds(math.Exp2(float64(r.IntN(12) - 9))) },
		"nothing":       func(r *rand.Rand) time.Duration { return 0 },
	}
	for name, draw := range draws {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chance := rand.New(rand.NewPCG(1, 2))
			ours, library := &histogram{}, theirs(runBounds)
			for i := range 5000 {
				d := draw(chance)
				ours.observe(d, runBounds, bothSides)
				library.Observe(d.Seconds())
				if i%500 != 0 && i > 20 {
					continue
				}
				if diff := cmp.Diff(written(t, library), protoOf(ours, runBounds), protocmp.Transform()); diff != "" {
					t.Fatalf("after %d observations, -library +ours:\n%s", i+1, diff)
				}
			}
		})
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func protoOf(h *histogram, bounds []float64) *dto.Histogram {
	var d distribution
	h.read(&d, bothSides, true)
	return d.proto(bounds)
}

func TestHistogramWidens(t *testing.T) {
	h := &histogram{}
	for i := range 400 {
		h.observe(seconds(1e-9*math.Exp(float64(i)/20)), runBounds, bothSides)
	}
	d := protoOf(h, runBounds)
	if *d.Schema != firstSchema-1 || len(nativeOf(h)) > maxBuckets {
		t.Errorf("schema %d with %d buckets after more than %d were needed, want one schema less", *d.Schema, len(nativeOf(h)), maxBuckets)
	}
}

func nativeOf(h *histogram) []entry {
	var d distribution
	h.read(&d, bothSides, true)
	return d.buckets
}

func TestNegativeDurationIsZero(t *testing.T) {
	h := &histogram{}
	h.observe(-time.Second, runBounds, bothSides)
	d := protoOf(h, runBounds)
	if *d.ZeroCount != 1 || *d.SampleSum != 0 || *d.SampleCount != 1 || *d.Bucket[0].CumulativeCount != 1 {
		t.Errorf("a lag below 0 was observed as %v, want one zero", d)
	}
}

// FuzzTally compares a tally with a map.
func FuzzTally(f *testing.F) {
	f.Add([]byte{3, 1, 2, 1, 0, 255, 3})
	f.Fuzz(func(t *testing.T, keys []byte) {
		var tally tally
		want := map[uint16]uint64{}
		for _, k := range keys {
			key := uint16(k) * 257
			tally.add(key, uint64(k)+1)
			want[key] += uint64(k) + 1
		}
		got := map[uint16]uint64{}
		last := -1
		for _, e := range tally.read(nil) {
			if int(e.key) <= last {
				t.Fatalf("key %d comes after %d", e.key, last)
			}
			last = int(e.key)
			got[e.key] = e.count
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}
