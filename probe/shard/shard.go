// Package shard says which of several processes that read the same files runs a probe. Nobody keeps a
// list: each process reckons, from the name alone, which probes are its own, so that all of them agree
// without speaking to each other, whatever the order and the number of the probes.
//
// # The hash
//
// It is a promise: another one would move everybody's probes. Shards count from 0, as the pods of a
// StatefulSet do. The weight of shard i for a probe is the output i+1 of SplitMix64, seeded with the
// 64-bit FNV-1a hash of the probe's name in UTF-8; all in arithmetic modulo 2^64:
//
//	z = fnv1a64(name) + (i+1) × 0x9e3779b97f4a7c15
//	z = (z xor z>>30) × 0xbf58476d1ce4e5b9
//	z = (z xor z>>27) × 0x94d049bb133111eb
//	weight = z xor z>>31
//
// The r shards of the highest weights run the probe (rendezvous, or highest random weight, hashing). Two
// weights of one name are never equal, since the steps can be undone and the factor is odd.
//
// # What follows
//
// One shard more takes its probes from all others alike, 1/(n+1) of each, and nothing moves between those;
// one shard less is the same backwards. How even the shards are is chance: of N probes on n shards the
// number that a shard has deviates from N/n by √((n−1)/N) of it, as a standard deviation. For 10,000
// probes that is 1.7 % on 4 shards and 3 % on 10. So "within 5 % of even at 10,000 probes" holds for up to
// five shards, nearly always: of 300 sets of names it was missed by a shard of five in 10, of four in 4, of
// three in 1 and of two in none, but of six in 28, of eight in 101 and of ten in 173. For n shards to be as
// even as four are there have to be 10,000×(n−1)/3 probes.
//
// A probe's due times depend on its name alone, too (probe.NextDue), so one that moves keeps them, and
// the shards that run the same probe run it at the same time.
package shard

import (
	"fmt"
	"hash/fnv"
	"slices"
)

// Most is how many shards there may be.
const Most = 1024

// Shard is one of a number of processes that have divided the probes of the same files among them. The
// zero value is the process that runs them all.
type Shard struct {
	// Index counts from 0 and is below Count.
	Index int
	// Count is how many shards there are; 0 when the probes are not divided.
	Count int
}

// String is "shard 1/4", as --shard has it: "1 of 4" would read as the first.
func (s Shard) String() string { return fmt.Sprintf("shard %d/%d", s.Index, s.Count) }

// Divided is true when this is not the process that runs all probes.
func (s Shard) Divided() bool { return s.Count > 0 }

// Runs reports whether the shard runs the probe of a name. Replication is how many shards do; what is
// below 1 counts as 1, and what is above Count as Count.
func (s Shard) Runs(name string, replication int) bool {
	if !s.Divided() {
		return true
	}
	seed := hash(name)
	mine, heavier := weight(seed, s.Index), 0
	for i := range s.Count {
		if weight(seed, i) > mine {
			heavier++
		}
	}
	return heavier < max(1, replication)
}

// Owners are the shards that run the probe of a name, the one of the highest weight first: min(replication,
// count) of them, at least one. It is empty when count is below 1.
func Owners(name string, replication, count int) []int {
	seed, most := hash(name), min(count, max(1, replication))
	var owners []int
	for i := range count {
		at := len(owners)
		for at > 0 && weight(seed, owners[at-1]) < weight(seed, i) {
			at--
		}
		if at < most {
			owners = slices.Insert(owners, at, i)
			owners = owners[:min(len(owners), most)]
		}
	}
	return owners
}

// hash is the seed of a name.
func hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// weight is what a shard weighs for the name of a seed.
func weight(seed uint64, index int) uint64 {
	z := seed + uint64(index+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
