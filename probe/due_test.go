package probe_test

import (
	"fmt"
	"hash/fnv"
	"testing"
	"time"

	"sonde/probe"
)

const day = 24 * time.Hour

// phaseOf is the phase as the design words it.
func phaseOf(name string, interval time.Duration) time.Duration {
	h := fnv.New64a()
	h.Write([]byte(name))
	return time.Duration(h.Sum64() % uint64(interval))
}

func FuzzDue(f *testing.F) {
	f.Add("shop-home", int64(time.Minute), time.Date(2026, 11, 30, 10, 0, 0, 1, time.UTC).UnixNano())
	f.Add("", int64(1), int64(0))
	f.Add("before 1970", int64(day), int64(-1))
	f.Add("a very long interval", int64(1)<<62, int64(1)<<60)
	f.Fuzz(func(t *testing.T, name string, interval, at int64) {
		if interval <= 0 || at > 1<<62 || at < -1<<62 {
			t.Skip("no interval, or a time that nanoseconds cannot tell")
		}
		every, now := time.Duration(interval), time.Unix(0, at)
		next, first := probe.NextDue(name, every, now), probe.FirstDue(name, every, now)
		if wait := next.Sub(now); wait <= 0 || wait > every {
			t.Errorf("%q is due in %v, want more than 0 and at most its interval %v", name, wait, every)
		}
		if wait, most := first.Sub(now), min(every, time.Minute); wait <= 0 || wait > most {
			t.Errorf("%q is due for the first time in %v, want more than 0 and at most %v", name, wait, most)
		}
		if again := probe.NextDue(name, every, next.Add(-1)); !again.Equal(next) {
			t.Errorf("just before %v the next due time is %v", next, again)
		}
		if interval < 1<<60 {
			if after := probe.NextDue(name, every, next); after.Sub(next) != every {
				t.Errorf("at %v the next due time is %v later, want the interval %v", next, after.Sub(next), every)
			}
		}
		if at > 0 && next.UnixNano() > 0 {
			if got := time.Duration(next.UnixNano() % interval); got != phaseOf(name, every) {
				t.Errorf("%q is due at phase %v, want %v", name, got, phaseOf(name, every))
			}
		}
	})
}

func TestFirstDueOfAShortIntervalIsNextDue(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	for _, interval := range []time.Duration{time.Second, 7 * time.Second, time.Minute} {
		if next, first := probe.NextDue("home", interval, now), probe.FirstDue("home", interval, now); !next.Equal(first) {
			t.Errorf("every %v: next %v, first %v, want the same", interval, next, first)
		}
	}
}

func TestPhasesAreSpreadEvenly(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	var tenths [10]int
	for i := range 10_000 {
		wait := probe.FirstDue(fmt.Sprintf("probe-%d", i), day, now).Sub(now)
		tenths[(wait-1)*10/time.Minute]++
	}
	for i, n := range tenths {
		if n < 900 || n > 1100 {
			t.Errorf("%d of 10,000 probes start in tenth %d of the first minute, want about 1,000", n, i)
		}
	}
}

func TestNextDueAllocatesNothing(t *testing.T) {
	now := time.Now()
	if n := testing.AllocsPerRun(100, func() { probe.NextDue("shop-home", time.Minute, now) }); n != 0 {
		t.Errorf("%v allocations, want none at each due time", n)
	}
}
