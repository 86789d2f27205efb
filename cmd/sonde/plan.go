package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/metrics"
	"sonde/probe/plan"
	"sonde/probe/shard"
)

type planCommand struct {
	fileFlags
	secretFlags
	Files  []string `arg:"" optional:"" name:"FILE" help:"The same as --config.file."`
	Probe  []string `sep:"none" placeholder:"PROBE" help:"Show the longest run of this probe, or of those of a pattern of names such as 'api.*', as a timeline; may be repeated."`
	Output string   `short:"o" enum:"text,json" default:"text" help:"How the plan is printed: ${enum}."`
	shardFlag
	Shards *int `placeholder:"N" help:"Show how N shards divide the probes; with --probe, which of them run it."`
}

// Help is shown by sonde plan --help.
func (*planCommand) Help() string {
	return `Computes what the files will do and sends nothing: requests a minute when all is well and at worst, the longest run, series, memory. At worst every attempt fails at once; http probes may resend once more when a kept connection has died (retry.transparent). Exits 0, and 2 when the files do not load.

Example: sonde plan probes.yaml --probe shop-home
Example: sonde plan --shards 4`
}

// Validate is called by kong.
func (c *planCommand) Validate() error {
	switch {
	case c.Shards == nil:
		return nil
	case c.Shard != nil:
		return errors.New("--shards shows all shards and --shard one of them, want one of the two flags")
	case *c.Shards < 1 || *c.Shards > shard.Most:
		return fmt.Errorf("--shards is %d, want 1 to %d", *c.Shards, shard.Most)
	}
	return nil
}

func (c *planCommand) run(ctx context.Context, t *terminal) error {
	mine, err := c.shard()
	if err != nil {
		return err
	}
	network := conn.New(conn.Options{})
	defer network.Close()
	set, err := sourceIn(c.world(), c.fileFlags, c.Files, network).loadOrSay(ctx, t, statusCannot)
	if err != nil {
		return err
	}
	defer closeAll(set.Probes)
	wanted, err := pick(set, c.Probe, "sonde plan without --probe shows them all")
	switch {
	case err != nil:
	case c.Shards != nil:
		err = c.showShards(t, set.Probes, wanted, *c.Shards)
	default:
		err = c.show(t, divide(mine, set.Probes), wanted)
	}
	return err
}

// show prints the plan of the part of the probes that is asked for.
func (c *planCommand) show(t *terminal, d *divided, wanted []*probe.Probe) error {
	if err := d.elsewhere(c.Probe, wanted); err != nil {
		return err
	}
	whole := planOf(d.own)
	shown := shownOf(whole, wanted)
	if err := c.print(t, d, whole, shown); err != nil {
		return cannot(fmt.Errorf("printing the plan: %w", err), "")
	}
	return nil
}

// planOf is the plan of probes, with the series that our own metrics make.
func planOf(probes []*probe.Probe) *plan.Plan {
	return plan.Of(probes, func(p *probe.Probe) plan.Series { return plan.Series(metrics.SeriesOf(p)) })
}

// shownOf are the plans of these probes, in the order of the plan.
func shownOf(p *plan.Plan, wanted []*probe.Probe) []plan.Probe {
	return slices.DeleteFunc(slices.Clone(p.Probes), func(one plan.Probe) bool { return !slices.Contains(wanted, one.Probe) })
}

func (c *planCommand) print(t *terminal, d *divided, whole *plan.Plan, shown []plan.Probe) error {
	if c.Output == "json" {
		return encodeJSON(t.out, planToJSON(d, whole, shown))
	}
	if d.Divided() {
		fmt.Fprintf(t.out, "%s\n\n", d)
	}
	text := &planText{width: t.width}
	if len(c.Probe) > 0 {
		return text.timelines(t.out, shown)
	}
	return text.print(t.out, whole)
}
