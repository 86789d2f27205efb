package main

import (
	"context"
	"fmt"

	"sonde/probe/conn"
)

type checkCommand struct {
	fileFlags
	Files     []string `arg:"" optional:"" name:"FILE" help:"The same as --config.file."`
	Format    string   `enum:"text" default:"text" help:"How problems are printed: ${enum}."`
	LintFatal bool     `name:"lint-fatal" help:"Exit 3 when there are warnings."`
}

// Help is shown by sonde check --help.
func (*checkCommand) Help() string {
	return `All problems come at once, each as file:line:column. Exits 0 when all is fine, 1 when something is wrong.

Example: sonde check probes.yaml team/`
}

func (c *checkCommand) run(_ context.Context, t *terminal) error {
	network := conn.New(conn.Options{})
	defer network.Close()
	src := sourceOf(c.fileFlags, c.Files, network)
	set, err := src.loadOrSay(t, statusFailed)
	if err != nil {
		return err
	}
	closeAll(set.Probes)
	t.problems(set.Warnings)
	verdict := "no problems"
	if n := len(set.Warnings); n > 0 {
		verdict = count(n, "warning")
	}
	fmt.Fprintf(t.out, "%s: %s, %s\n", clean(src.name), count(len(set.Probes), "probe"), verdict)
	if c.LintFatal && len(set.Warnings) > 0 {
		return exitStatus(statusWarned)
	}
	return nil
}
