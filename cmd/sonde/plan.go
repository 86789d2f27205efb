package main

import (
	"context"
	"fmt"
	"slices"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/metrics"
	"sonde/probe/plan"
)

type planCommand struct {
	fileFlags
	secretFlags
	Files  []string `arg:"" optional:"" name:"FILE" help:"The same as --config.file."`
	Probe  []string `sep:"none" placeholder:"NAME" help:"Show the longest run of this probe as a timeline; may be repeated."`
	Output string   `short:"o" enum:"text,json" default:"text" help:"How the plan is printed: ${enum}."`
}

// Help is shown by sonde plan --help.
func (*planCommand) Help() string {
	return `Reckons what the files will do and sends nothing: requests a minute when all is well and at worst, the longest run, series, memory. Exits 0, and 2 when the files do not load.

Example: sonde plan probes.yaml --probe shop-home`
}

func (c *planCommand) run(ctx context.Context, t *terminal) error {
	network := conn.New(conn.Options{})
	defer network.Close()
	set, err := sourceIn(c.world(), c.fileFlags, c.Files, network).loadOrSay(ctx, t, statusCannot)
	if err != nil {
		return err
	}
	defer closeAll(set.Probes)
	if err := noneDisabled(set, c.Probe); err != nil {
		return err
	}
	whole := planOf(set.Probes)
	shown, err := chosen(whole, c.Probe)
	if err != nil {
		return err
	}
	if err := c.print(t, whole, shown); err != nil {
		return cannot(fmt.Errorf("printing the plan: %w", err), "")
	}
	return nil
}

// planOf is the plan of probes, with the series that our own metrics make.
func planOf(probes []*probe.Probe) *plan.Plan {
	return plan.Of(probes, func(p *probe.Probe) plan.Series { return plan.Series(metrics.SeriesOf(p)) })
}

// chosen are the probes of these names, in the order of the files; all without a name.
func chosen(p *plan.Plan, names []string) ([]plan.Probe, error) {
	var all []string
	for i := range p.Probes {
		all = append(all, p.Probes[i].Probe.Name)
	}
	for _, name := range names {
		if slices.Contains(all, name) {
			continue
		}
		hint := "sonde plan without --probe shows them all"
		if near := nearest(name, all); near != "" {
			hint = "did you mean " + near + "?"
		}
		return nil, cannot(fmt.Errorf("there is no probe %q", name), hint)
	}
	if len(names) == 0 {
		return p.Probes, nil
	}
	return slices.DeleteFunc(slices.Clone(p.Probes), func(one plan.Probe) bool {
		return !slices.Contains(names, one.Probe.Name)
	}), nil
}

func (c *planCommand) print(t *terminal, whole *plan.Plan, shown []plan.Probe) error {
	if c.Output == "json" {
		return encodeJSON(t.out, planToJSON(whole, shown))
	}
	text := &planText{width: t.width}
	if len(c.Probe) > 0 {
		return text.timelines(t.out, shown)
	}
	return text.print(t.out, whole)
}
