package main

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"sonde/probe"
	"sonde/probe/metrics"
	"sonde/probe/shard"
	"sonde/probe/status"
	"sonde/schema"
)

// divided is a list of probes and the part of it that one shard runs.
type divided struct {
	shard.Shard
	own, others []*probe.Probe
}

// divide divides probes. It keeps their order.
func divide(s shard.Shard, probes []*probe.Probe) *divided {
	d := &divided{Shard: s}
	for _, p := range probes {
		if s.Runs(p.Name, p.Replication) {
			d.own = append(d.own, p)
		} else {
			d.others = append(d.others, p)
		}
	}
	return d
}

// String is `shard 1/4: 2,503 of 10,000 probes`.
func (d *divided) String() string {
	all := len(d.own) + len(d.others)
	noun := "probes"
	if all == 1 {
		noun = "probe"
	}
	return fmt.Sprintf("%s: %s of %s %s", d.Shard, probe.Grouped(int64(len(d.own))), probe.Grouped(int64(all)), noun)
}

// overReplicated are the probes that want more shards than there are.
func overReplicated(probes []*probe.Probe, shards int) (names []string) {
	for _, p := range probes {
		if p.Replication > shards {
			names = append(names, p.Name)
		}
	}
	return names
}

// whose names the shards that run a probe: `shard 2/4`, `shards 0/4 and 3/4`, `all 4 shards`.
func whose(name string, replication, shards int) string {
	owners := shard.Owners(name, replication, shards)
	slices.Sort(owners)
	last := len(owners) - 1
	switch {
	case last == 0:
		return shard.Shard{Index: owners[0], Count: shards}.String()
	case last+1 == shards:
		return fmt.Sprintf("all %d shards", shards)
	}
	return fmt.Sprintf("shards %s and %d/%d", joined(owners[:last], shards), owners[last], shards)
}

// joined is "0/4, 2/4".
func joined(indices []int, shards int) string {
	texts := make([]string, len(indices))
	for i, n := range indices {
		texts[i] = fmt.Sprintf("%d/%d", n, shards)
	}
	return strings.Join(texts, ", ")
}

// divider leaves of each set that is loaded the probes of this process's shard, and tells the page and the
// metrics, which are asked for others' probes, too.
type divider struct {
	shard   shard.Shard
	board   *status.Board
	metrics *metrics.Recorder
	log     *slog.Logger
}

// divide leaves in the set what is this shard's, closes the rest, and says how it is divided; it does
// nothing, and says nothing, where probes are not divided.
func (v *divider) divide(set *schema.Set) string {
	if !v.shard.Divided() {
		return ""
	}
	over := overReplicated(set.Probes, v.shard.Count)
	d := divide(v.shard, set.Probes)
	letGo(d.others)
	set.Probes = d.own
	where := d.where()
	v.board.Shared(status.Share{Text: d.String(), Where: where})
	v.metrics.Elsewhere(where)
	if len(over) > 0 {
		v.log.Warn("probes have a replication above the number of shards, and run on all of them",
			"probes", len(over), "first", clean(over[0]), "shards", v.shard.Count)
	}
	if len(d.own) == 0 {
		v.log.Warn("this shard has no probe: there are more shards than needed, or by chance all are another's", "shard", strings.TrimPrefix(v.shard.String(), "shard "))
	}
	return d.String() + "; "
}

// letGo closes the probers of what is others', and leaves them to the collector. What was read is remembered for
// the next reload, and these will be others' then, too, unless they are read anew: the name and the
// replication, which is part of the definition, say whose a probe is.
func letGo(others []*probe.Probe) {
	for _, p := range others {
		p.LetGo()
	}
}

// where tells who runs the probes that are others'. It keeps their names alone.
func (d *divided) where() func(name string) string {
	replication := make(map[string]int, len(d.others))
	for _, p := range d.others {
		replication[p.Name] = p.Replication
	}
	count := d.Count
	return func(name string) string {
		r, declared := replication[name]
		if !declared {
			return ""
		}
		return whose(name, r, count)
	}
}

// elsewhere is the failure of who names to this shard probes that are others', or means by patterns none
// that is its own; wanted are those that the words mean. That a pattern means some of others' is no failure.
func (d *divided) elsewhere(words []string, wanted []*probe.Probe) error {
	where := d.where()
	none := len(words) > 0 && !slices.ContainsFunc(wanted, func(p *probe.Probe) bool { return where(p.Name) == "" })
	var texts []string
	for _, p := range wanted {
		if is := where(p.Name); is != "" && (none || slices.Contains(words, p.Name)) {
			texts = append(texts, fmt.Sprintf("%q runs on %s", p.Name, is))
		}
	}
	switch n := len(texts); {
	case n == 0:
		return nil
	case n > mostNamed:
		texts = append(texts[:mostNamed], fmt.Sprintf("%d more run on others", n-mostNamed))
	}
	return cannot(fmt.Errorf("the probe %s, and not on %s", strings.Join(texts, ", "), d.Shard),
		"give --shard the number of a shard that runs it")
}
