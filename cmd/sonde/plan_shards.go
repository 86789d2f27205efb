package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sonde/probe"
	"sonde/probe/plan"
	"sonde/probe/shard"
)

// distribution is how a number of shards divide a list of probes.
type distribution struct {
	declared []*probe.Probe
	shards   []*plan.Plan
	shown    []*probe.Probe // of which it is said who runs them
}

// distribute reckons what each of a number of shards will do.
func distribute(probes []*probe.Probe, count int) *distribution {
	parts := make([][]*probe.Probe, count)
	for _, p := range probes {
		for _, i := range shard.Owners(p.Name, p.Replication, count) {
			parts[i] = append(parts[i], p)
		}
	}
	d := &distribution{declared: probes}
	for _, part := range parts {
		d.shards = append(d.shards, planOf(part))
	}
	return d
}

// showShards prints how a number of shards divide the probes, or who runs those that are asked for.
func (c *planCommand) showShards(t *terminal, probes, wanted []*probe.Probe, count int) (err error) {
	d := distribute(probes, count)
	d.shown = wanted
	switch {
	case c.Output == "json":
		err = encodeJSON(t.out, d.toJSON())
	case len(c.Probe) > 0:
		err = d.printOwners(t.out, t.width)
	default:
		err = d.print(t.out, t.width)
	}
	if err != nil {
		return cannot(fmt.Errorf("printing the plan: %w", err), "")
	}
	return nil
}

// owners are the shards that run a probe, sorted.
func (d *distribution) owners(p *probe.Probe) []int {
	return slices.Sorted(slices.Values(shard.Owners(p.Name, p.Replication, len(d.shards))))
}

// print prints a row a shard, and what it comes to.
func (d *distribution) print(w io.Writer, width int) error {
	g := grid{width: width, head: []string{"SHARD", "PROBES", "REQ/MIN", "AT WORST", "SERIES"}}
	for i, p := range d.shards {
		g.add(fmt.Sprintf("%d/%d", i, len(d.shards)), strconv.Itoa(len(p.Probes)), rate(p.Requests.Well), rate(p.Requests.Worst), strconv.Itoa(p.Series.Steady))
	}
	var b strings.Builder
	g.print(&b)
	b.WriteString("\n" + d.summary())
	_, err := io.WriteString(w, b.String())
	return err
}

// summary is what the rows come to, and what they do not say.
func (d *distribution) summary() string {
	var b strings.Builder
	runs, least, most := 0, len(d.declared), 0
	for _, p := range d.shards {
		runs, least, most = runs+len(p.Probes), min(least, len(p.Probes)), max(most, len(p.Probes))
	}
	each := strconv.Itoa(least)
	if most > least {
		each += fmt.Sprintf(" to %d", most)
	}
	fmt.Fprintf(&b, "%s on %s, %s on each", count(len(d.declared), "probe"), count(len(d.shards), "shard"), each)
	if runs > len(d.declared) {
		fmt.Fprintf(&b, "; replication makes them %d", runs)
	}
	b.WriteString("\n")
	if over := overReplicated(d.declared, len(d.shards)); len(over) > 0 {
		fmt.Fprintf(&b, "! %s: replication is above the number of shards, and all of them run it\n", count(len(over), "probe"))
	}
	b.WriteString("Retry budgets and connection.per_host hold within each shard: a host may see them as often as there are shards.\n")
	return b.String()
}

// printOwners prints who runs the probes that were asked for.
func (d *distribution) printOwners(w io.Writer, width int) error {
	g := grid{width: width, head: []string{"PROBE", "SHARD"}}
	for i := range d.shown {
		p := d.shown[i]
		g.add(clean(p.Name), joined(d.owners(p), len(d.shards)))
	}
	var b strings.Builder
	g.print(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// The types that follow are what plan --shards --output json prints. The names of their fields are a
// promise, and all fields are always there.

type distributionJSON struct {
	Count    int         `json:"count"`
	Declared int         `json:"declared_probes"`
	Shards   []shardJSON `json:"shards"`
	Probes   []ownedJSON `json:"probes"`
}

// shardJSON is what one shard does.
type shardJSON struct {
	Index int `json:"index"`
	totalJSON
}

// ownedJSON is a probe and the shards that run it.
type ownedJSON struct {
	Probe       string `json:"probe"`
	Replication int    `json:"replication"`
	Shards      []int  `json:"shards"`
}

func (d *distribution) toJSON() distributionJSON {
	j := distributionJSON{Count: len(d.shards), Declared: len(d.declared), Shards: make([]shardJSON, len(d.shards)), Probes: make([]ownedJSON, len(d.shown))}
	for i, p := range d.shards {
		j.Shards[i] = shardJSON{i, totalToJSON(p)}
	}
	for i := range d.shown {
		p := d.shown[i]
		j.Probes[i] = ownedJSON{p.Name, p.Replication, d.owners(p)}
	}
	return j
}
