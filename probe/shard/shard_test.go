package shard

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"sonde/probe"
)

// patterns make names as people give them.
var patterns = map[string]func(i int) string{
	"numbers":  func(i int) string { return fmt.Sprintf("probe-%05d", i) },
	"unpadded": func(i int) string { return fmt.Sprintf("p%d", i) },
	"targets":  func(i int) string { return fmt.Sprintf("nodes.10-0-%d-%d-9100", i/256, i%256) },
	"hosts":    func(i int) string { return fmt.Sprintf("api-%d.eu-west-%d.example.com", i/3, i%3) },
	"random": func(i int) string {
		r := rand.New(rand.NewPCG(7, uint64(i)))
		return strings.Repeat(string(rune('a'+r.IntN(26))), 1+r.IntN(20)) + fmt.Sprintf("%x", r.Uint64())
	},
}

func namesOf(pattern func(int) string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = pattern(i)
	}
	return names
}

// TestTheHashIsThatOfTheDocument holds the two parts of the hash to what is published of them: the
// FNV-1a hashes of "", "a" and "foobar", and the first outputs of SplitMix64 from the seed 0.
func TestTheHashIsThatOfTheDocument(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]uint64{"": 0xcbf29ce484222325, "a": 0xaf63dc4c8601ec8c, "foobar": 0x85944171f73967e8} {
		if got := hash(name); got != want {
			t.Errorf("hash(%q) is %#x, want %#x", name, got, want)
		}
	}
	for i, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f, 0xf88bb8a8724c81ec} {
		if got := weight(0, i); got != want {
			t.Errorf("weight(0, %d) is %#x, want %#x", i, got, want)
		}
	}
}

// TestGolden holds who owns what for good: a release that fails here would move the probes of everybody.
func TestGolden(t *testing.T) {
	t.Parallel()
	for name, want := range golden {
		for count := 1; count <= 8; count++ {
			var within []int
			for _, i := range want {
				if i < count {
					within = append(within, i)
				}
			}
			if got := Owners(name, Most, count); !slices.Equal(got, within) {
				t.Errorf("the shards of %q by weight, of %d: got %v, want %v", name, count, got, within)
			}
		}
	}
}

// golden is the order in which eight shards have a right to a probe.
var golden = map[string][]int{
	"":                    {5, 0, 6, 7, 4, 2, 3, 1},
	"home":                {2, 6, 1, 4, 7, 3, 5, 0},
	"shop-home":           {1, 5, 6, 3, 0, 4, 7, 2},
	"orders-create":       {0, 2, 1, 6, 5, 7, 3, 4},
	"api.eu":              {1, 7, 2, 4, 3, 5, 6, 0},
	"api.us":              {7, 6, 0, 2, 3, 1, 4, 5},
	"nodes.10-0-0-1-9100": {3, 4, 5, 7, 2, 1, 6, 0},
	"kubernetes-api":      {7, 4, 0, 5, 3, 1, 6, 2},
	"größe":               {2, 5, 1, 0, 7, 4, 6, 3},
	"probe-00001":         {5, 3, 1, 0, 4, 6, 7, 2},
	"probe-00002":         {3, 6, 1, 0, 4, 7, 2, 5},
	"probe-00003":         {7, 5, 3, 6, 4, 2, 1, 0},
}

// TestEachProbeHasItsOwners: the union of the shards is complete, no probe has more owners than it
// should, and each shard alone comes to what Owners says.
func TestEachProbeHasItsOwners(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		name := patterns["random"](r.IntN(1 << 30))
		count, replication := 1+r.IntN(20), r.IntN(25)
		checkOwners(t, name, replication, count)
	}
}

func checkOwners(t *testing.T, name string, replication, count int) {
	t.Helper()
	owners := Owners(name, replication, count)
	if want := min(max(1, replication), count); len(owners) != want {
		t.Fatalf("%q has %d owners %v of %d shards at replication %d, want %d", name, len(owners), owners, count, replication, want)
	}
	running := 0
	for i := range count {
		runs := Shard{i, count}.Runs(name, replication)
		if runs != slices.Contains(owners, i) {
			t.Fatalf("%q: %v says %v, but the owners are %v", name, Shard{i, count}, runs, owners)
		}
		if runs {
			running++
		}
	}
	if running != len(owners) {
		t.Fatalf("%q is run by %d shards, want %d: %v", name, running, len(owners), owners)
	}
}

// TestShardsAreEven: within 5 % at 10,000 probes on a few shards, and everywhere within what chance makes
// of it: four standard deviations.
func TestShardsAreEven(t *testing.T) {
	t.Parallel()
	const probes = 10_000
	for kind, pattern := range patterns {
		names := namesOf(pattern, probes)
		for _, count := range []int{2, 3, 4, 5, 10} {
			for _, replication := range []int{1, 2} {
				worst := unevenness(names, replication, count)
				share := float64(replication) / float64(count)
				chance := 4 * math.Sqrt((1-share)/(share*probes))
				if worst > chance || count <= 5 && worst > .05 {
					t.Errorf("%s: %d shards, replication %d: one is %.1f %% off, want at most %.1f %%", kind, count, replication, 100*worst, 100*chance)
				}
			}
		}
	}
}

// TestFiveShardsAreNearlyAlwaysWithinFivePercent, and ten are not, as the package comment says.
func TestFiveShardsAreNearlyAlwaysWithinFivePercent(t *testing.T) {
	t.Parallel()
	const sets = 20
	beyond := map[int]int{}
	for set := range sets {
		names := namesOf(func(i int) string { return fmt.Sprintf("set%d-probe-%d", set, i) }, 10_000)
		for _, count := range []int{2, 5, 10} {
			if unevenness(names, 1, count) > .05 {
				beyond[count]++
			}
		}
	}
	if beyond[2] > 0 || beyond[5] > sets/20 || beyond[10] < sets/4 {
		t.Errorf("of %d sets a shard is more than 5 %% off in %d on 2 shards, %d on 5 and %d on 10; want 0, %d at most, and %d at least",
			sets, beyond[2], beyond[5], beyond[10], sets/20, sets/4)
	}
}

// unevenness is by which part of it the shard that is furthest off misses an even share.
func unevenness(names []string, replication, count int) (worst float64) {
	has := make([]int, count)
	for _, name := range names {
		for _, i := range Owners(name, replication, count) {
			has[i]++
		}
	}
	even := float64(len(names)*replication) / float64(count)
	for _, n := range has {
		worst = max(worst, math.Abs(float64(n)-even)/even)
	}
	return worst
}

// TestOneShardMore takes its even part, and nothing moves between the others.
func TestOneShardMore(t *testing.T) {
	t.Parallel()
	const probes = 10_000
	for kind, pattern := range patterns {
		for _, count := range []int{1, 3, 8} {
			for _, replication := range []int{1, 3} {
				moved := 0
				for _, name := range namesOf(pattern, probes) {
					before, after := Owners(name, replication, count), Owners(name, replication, count+1)
					for _, i := range after {
						if !slices.Contains(before, i) && i != count {
							t.Fatalf("%q moves from %v to %v, want no way but to shard %d", name, before, after, count)
						}
					}
					if slices.Contains(after, count) {
						moved++
					}
				}
				share := min(1, float64(replication)/float64(count+1))
				if off := math.Abs(float64(moved) - probes*share); off > 4*math.Sqrt(probes*share*(1-share)) {
					t.Errorf("%s: from %d to %d at replication %d %d of %d move, want about %.0f", kind, count, count+1, replication, moved, probes, probes*share)
				}
			}
		}
	}
}

// TestPhasesStayEven: a shard's probes are as evenly spread over an interval as all of them are, though
// both are told from one hash of the name; and where they are does not depend on the shard.
func TestPhasesStayEven(t *testing.T) {
	t.Parallel()
	const slots, count = 12, 4
	for kind, pattern := range patterns {
		var has [count][slots]int
		for _, name := range namesOf(pattern, 10_000) {
			due := probe.NextDue(name, time.Minute, time.Unix(0, 0))
			slot := int(due.Sub(time.Unix(0, 0)) % time.Minute / (time.Minute / slots))
			has[Owners(name, 1, count)[0]][slot]++
		}
		for i := range has {
			for slot, n := range has[i] {
				const even = 10_000. / slots / count
				if math.Abs(float64(n)-even) > 5*math.Sqrt(even) {
					t.Errorf("%s: shard %d has %d probes due in slot %d of %d, want about %.0f", kind, i, n, slot, slots, even)
				}
			}
		}
	}
}

// TestUndivided: the zero value runs all, and so does the only shard.
func TestUndivided(t *testing.T) {
	t.Parallel()
	for _, s := range []Shard{{}, {0, 1}} {
		for _, replication := range []int{-1, 0, 1, 9} {
			if !s.Runs("home", replication) {
				t.Errorf("%v does not run a probe of replication %d", s, replication)
			}
		}
	}
	if got := Owners("home", 1, 0); len(got) != 0 {
		t.Errorf("of no shard %v own a probe", got)
	}
}

func BenchmarkRuns(b *testing.B) {
	for _, count := range []int{4, Most} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Shard{1, count}.Runs("nodes.10-0-12-1-9100", 1)
			}
		})
	}
}

func FuzzOwners(f *testing.F) {
	f.Add("home", 1, 4)
	f.Add("", -1, 1)
	f.Add("\xff", 1<<40, 1024)
	f.Fuzz(func(t *testing.T, name string, replication, count int) {
		if count < 1 || count > Most {
			return
		}
		checkOwners(t, name, replication, count)
	})
}
