package kinds_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe/conn/memnet"
	"sonde/probe/kinds"
	"sonde/probe/retry"
	"sonde/schema"
)

// TestConformanceOfFiles is C08: a number of attempts that makes no sense is told at its line, and
// nothing is sent.
func TestConformanceOfFiles(t *testing.T) {
	t.Parallel()
	for _, attempts := range []string{"0", "-1", "101"} {
		text := "probes:\n- name: shop\n  http: {url: \"http://192.0.2.1/\"}\n  retry:\n    attempts: " + attempts + "\n"
		_, problems := schema.Parse("probes.yaml", []byte(text), kinds.All(nil, ""))
		if got := fmt.Sprint(problems); !strings.Contains(got, "probes.yaml:5:15: probes[0].retry.attempts is "+attempts+", want 1 to 100") {
			t.Errorf("attempts: %s is told as %s", attempts, got)
		}
	}
}

// TestConformanceOfChance is C66: the bounds and the mean of each kind of jitter, and that one seed
// gives one list.
func TestConformanceOfChance(t *testing.T) {
	t.Parallel()
	of := func(kind retry.BackoffKind) retry.Backoff {
		return retry.Backoff{Kind: kind, Base: time.Second, Cap: 10 * time.Second, Jitter: 500 * time.Millisecond}
	}
	for _, c := range []struct {
		kind              retry.BackoffKind
		least, most, mean time.Duration // of the wait after the third attempt
	}{
		{retry.Additive, 4 * time.Second, 4500 * time.Millisecond, 4250 * time.Millisecond},
		{retry.Full, 0, 4 * time.Second, 2 * time.Second},
		{retry.Equal, 2 * time.Second, 4 * time.Second, 3 * time.Second},
		{retry.Decorrelated, time.Second, 9 * time.Second, 5 * time.Second},
	} {
		first, again := draws(of(c.kind)), draws(of(c.kind))
		if !slices.Equal(first, again) {
			t.Errorf("%s: one seed gives two lists", c.kind)
		}
		var sum time.Duration
		for _, d := range first {
			sum += d
		}
		mean := sum / time.Duration(len(first))
		if least, most := slices.Min(first), slices.Max(first); least < c.least || most > c.most {
			t.Errorf("%s: draws from %v to %v, want %v to %v", c.kind, least, most, c.least, c.most)
		}
		if off := (mean - c.mean).Abs(); off > (c.most-c.least)/50 {
			t.Errorf("%s: the mean is %v, want about %v", c.kind, mean, c.mean)
		}
	}
}

// draws are 10,000 waits after the third attempt, the wait before having been 3 s.
func draws(b retry.Backoff) []time.Duration {
	chance := rand.New(rand.NewPCG(1, 1))
	list := make([]time.Duration, 10_000)
	for i := range list {
		list[i] = b.Wait(3, 3*time.Second, chance.Float64())
	}
	return list
}

// TestConformanceOfOneSeed is C67: with one seed the same case gives the same events, to the nanosecond.
func TestConformanceOfOneSeed(t *testing.T) {
	t.Parallel()
	var streams [2]string
	for i := range streams {
		synctest.Test(t, func(t *testing.T) { streams[i] = eventsOfSeed(t, 7) })
	}
	if streams[0] != streams[1] {
		t.Errorf("one seed gives\n%sand\n%s", streams[0], streams[1])
	}
	synctest.Test(t, func(t *testing.T) {
		if other := eventsOfSeed(t, 8); other == streams[0] {
			t.Error("another seed gives the same events")
		}
	})
}

// eventsOfSeed is all that the sinks are told of 503, 503, 200.
func eventsOfSeed(t *testing.T, seed uint64) string {
	chance := rand.New(rand.NewPCG(seed, seed))
	r := row{version: "1.1", server: statuses(503, 503, 200), with: changes(func(s *setup) { s.chance = chance.Float64 })}
	l := newLab(t, &r, &memnet.Net{})
	defer l.close()
	l.site(here, r.server...)
	l.open()
	result := r.run(l)
	l.laws()
	var b strings.Builder
	for _, a := range result.Attempts {
		fmt.Fprintf(&b, "%d %s %v +%v %s %s %v %v %v %s\n", a.Number, try(&a), a.Started.UTC(), a.Duration, a.RemoteAddress,
			a.Method, a.Err, a.Phases, a.Wait, a.WaitSource)
	}
	return b.String()
}
