package retry

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

const (
	ms      = time.Millisecond
	forever = time.Duration(math.MaxInt64)
	// almostOne is the greatest number that chance can draw.
	almostOne = 1 - 0x1p-53
)

// seed is the policy's backoff that the project began with.
var seed = Backoff{Base: 500 * ms, Cap: 10 * time.Second, Jitter: 500 * ms}

func TestWait(t *testing.T) {
	t.Parallel()
	of := func(kind BackoffKind) Backoff {
		return Backoff{Kind: kind, Base: 500 * ms, Cap: 10 * time.Second, Jitter: 500 * ms}
	}
	within := seed
	within.CapIncludesJitter = true
	for _, c := range []struct {
		name     string
		backoff  Backoff
		n        int
		previous time.Duration
		u        float64
		want     time.Duration
	}{
		{"the first", seed, 1, 0, 0, 500 * ms},
		{"half of the jitter", seed, 1, 0, 0.5, 750 * ms},
		{"doubled", seed, 2, 0, 0.5, 1250 * ms},
		{"and again", seed, 5, 0, 0.5, 8250 * ms},
		{"capped, jitter on top", seed, 6, 0, 0.5, 10250 * ms},
		{"capped for ever", seed, 1000, 0, 0, 10 * time.Second},
		{"empty kind is additive", of(""), 2, 0, 0.5, of(Additive).Wait(2, 0, 0.5)},
		{"no base", Backoff{Cap: time.Second, Jitter: 100 * ms}, 7, 0, 0.5, 50 * ms},
		{"nothing at all", Backoff{}, 7, time.Hour, 0.5, 0},
		{"base above cap", Backoff{Base: time.Hour, Cap: time.Second}, 1, 0, 0.5, time.Second},

		{"cap includes jitter", within, 6, 0, 0.5, 9750 * ms},
		{"cap includes jitter, before the cap", within, 2, 0, 0.5, 1250 * ms},
		{"cap includes a jitter above it", Backoff{Base: 1, Cap: 100 * ms, Jitter: time.Second, CapIncludesJitter: true}, 1, 0, 0.5, 100 * ms},

		{"full", of(Full), 3, 0, 0.25, 500 * ms},
		{"full has no jitter", of(Full), 3, 0, 0, 0},
		{"full, capped", of(Full), 99, 0, 0.5, 5 * time.Second},
		{"equal", of(Equal), 3, 0, 0.5, 1500 * ms},
		{"equal, least", of(Equal), 3, 0, 0, time.Second},

		{"decorrelated, first", of(Decorrelated), 1, 0, 0.5, 1000 * ms},
		{"decorrelated, least", of(Decorrelated), 1, 0, 0, 500 * ms},
		{"decorrelated grows from the wait before", of(Decorrelated), 9, 2 * time.Second, 0.5, 3250 * ms},
		{"decorrelated, capped", of(Decorrelated), 2, 9 * time.Second, 0.9, 10 * time.Second},

		{"no overflow", Backoff{Base: forever, Cap: forever, Jitter: forever}, 1000, 0, almostOne, forever},
		{"no overflow by doubling", Backoff{Base: 1, Cap: forever}, 1000, 0, 0, forever},
		{"no overflow, decorrelated", Backoff{Kind: Decorrelated, Base: forever / 2, Cap: forever}, 2, forever, almostOne, forever},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := c.backoff.Wait(c.n, c.previous, c.u); got != c.want {
				t.Errorf("%+v waits %v after attempt %d, want %v", c.backoff, got, c.n, c.want)
			}
		})
	}
}

// most is the longest wait that the policy allows.
func (b Backoff) most() time.Duration {
	cap := max(0, b.Cap)
	if (b.Kind == Additive || b.Kind == "") && !b.CapIncludesJitter {
		return addSaturating(cap, max(0, b.Jitter))
	}
	return cap
}

func FuzzWait(f *testing.F) {
	f.Add(uint8(0), int64(500*ms), int64(10*time.Second), int64(500*ms), false, 1, int64(0), uint64(1)<<52)
	f.Add(uint8(3), int64(forever), int64(forever), int64(forever), true, 1000, int64(forever), uint64(1)<<53-1)
	f.Add(uint8(1), int64(-1), int64(-1), int64(math.MinInt64), true, -5, int64(-7), uint64(3))
	kinds := []BackoffKind{Additive, Full, Equal, Decorrelated, ""}
	f.Fuzz(func(t *testing.T, kind uint8, base, limit, jitter int64, includes bool, n int, previous int64, chance uint64) {
		b := Backoff{
			Kind: kinds[int(kind)%len(kinds)], Base: time.Duration(base), Cap: time.Duration(limit),
			Jitter: time.Duration(jitter), CapIncludesJitter: includes,
		}
		u := float64(chance>>11) / (1 << 53)
		if got := b.Wait(n%1001, time.Duration(previous), u); got < 0 || got > b.most() {
			t.Errorf("%+v waits %v after attempt %d and a wait of %v for u = %v, want 0 to %v",
				b, got, n%1001, time.Duration(previous), u, b.most())
		}
	})
}

// TestTenThousandDraws looks at bounds and means of each kind (C66).
func TestTenThousandDraws(t *testing.T) {
	t.Parallel()
	const n = 3 // b is 2 s
	for _, c := range []struct {
		kind              BackoffKind
		least, mean, most time.Duration
	}{
		{Additive, 2 * time.Second, 2250 * ms, 2500 * ms},
		{Full, 0, time.Second, 2 * time.Second},
		{Equal, time.Second, 1500 * ms, 2 * time.Second},
		{Decorrelated, 500 * ms, 1750 * ms, 3 * time.Second}, // after a wait of 1 s
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			t.Parallel()
			b := seed
			b.Kind = c.kind
			random, again := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 1))
			var sum time.Duration
			for range 10_000 {
				w := b.Wait(n, time.Second, random.Float64())
				if w < c.least || w >= c.most {
					t.Fatalf("a wait of %v, want %v to below %v", w, c.least, c.most)
				}
				if a := b.Wait(n, time.Second, again.Float64()); a != w {
					t.Fatalf("the same seed gives %v and %v", w, a)
				}
				sum += w
			}
			mean := sum / 10_000
			if off := (mean - c.mean).Abs(); off > (c.most-c.least)/50 {
				t.Errorf("the mean is %v, want about %v", mean, c.mean)
			}
		})
	}
}
