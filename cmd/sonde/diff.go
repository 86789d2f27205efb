package main

import (
	"context"
	"fmt"

	"sonde/probe/conn"
	"sonde/schema"
)

type diffCommand struct {
	secretFlags
	Old    string `arg:"" name:"OLD" help:"The file, or the folder of files, as it was."`
	New    string `arg:"" name:"NEW" help:"The file, or the folder of files, as it is to be."`
	Output string `short:"o" enum:"text,json,markdown" default:"text" help:"How the differences are printed: ${enum}."`
}

// Help is shown by sonde diff --help.
func (*diffCommand) Help() string {
	return `Says which probes were added, removed and changed, value by value, and what that does to load, longest runs and series. Sends nothing. Exits 0 when both are the same, 1 when they differ, 2 when it cannot say. In git, git worktree add ../old main brings the old state with all that its files name: then compare ../old/probes.yaml with probes.yaml.

Example: sonde diff old.yaml probes.yaml --output markdown`
}

func (c *diffCommand) run(ctx context.Context, t *terminal) error {
	network := conn.New(conn.Options{})
	defer network.Close()
	load := func(path string) (*schema.Set, error) {
		return sourceIn(c.world(), fileFlags{}, []string{path}, network).loadOrSay(ctx, t, statusCannot)
	}
	old, errOld := load(c.Old)
	if errOld == nil {
		defer closeAll(old.Probes)
	}
	new, err := load(c.New)
	switch {
	case errOld != nil && err != nil:
		t.report(errOld)
		return err
	case errOld != nil:
		closeAll(new.Probes)
		return errOld
	case err != nil:
		return err
	}
	defer closeAll(new.Probes)
	found := compare(old, new)
	if err := c.print(t, found); err != nil {
		return cannot(fmt.Errorf("printing the differences: %w", err), "")
	}
	if !found.same() {
		return exitStatus(statusFailed)
	}
	return nil
}

func (c *diffCommand) print(t *terminal, found *comparison) error {
	switch c.Output {
	case "json":
		return encodeJSON(t.out, diffToJSON(found))
	case "markdown":
		return writeMarkdown(t.out, found)
	}
	return writeDiff(t.out, found, t.width)
}
