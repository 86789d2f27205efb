package main

import (
	"context"
	"errors"
	"fmt"

	"sonde/probe/conn"
	"sonde/schema"
	"sonde/schema/report"
)

type checkCommand struct {
	fileFlags
	secretFlags
	Files     []string `arg:"" optional:"" name:"FILE" help:"The same as --config.file."`
	Format    string   `enum:"auto,text,json,github,sarif,junit,gitlab" default:"auto" help:"How problems are printed: ${enum}. By default text, and in GitHub Actions annotations beside it."`
	LintFatal bool     `name:"lint-fatal" help:"Exit 3 when there are warnings."`
	Print     bool     `help:"Print the effective file, with every value that holds, instead of how it ended. What is filled in stays ${…}; a credential that stands in a file is masked."`
	Origin    bool     `help:"With --print: say of each value where it comes from."`
	Explain   string   `placeholder:"RULE" help:"Say what a rule means, with a mistake and its mend; all lists the rules."`
}

// Help is shown by sonde check --help.
func (*checkCommand) Help() string {
	return `All problems come at once, each as file:line:column, but for those behind a mistake that keeps what follows from being read: a text that is no YAML, an unknown key. Exits 0 when all is fine, 1 when something is wrong.

Example: sonde check probes.yaml team/
Example: sonde check --print --origin probes.yaml
Example: sonde check --no-secrets --format github`
}

// Validate is called by kong.
func (c *checkCommand) Validate() error {
	switch {
	case c.Origin && !c.Print:
		return errors.New("--origin goes with --print")
	case c.Print && c.Format != string(report.Auto) && c.Format != string(report.Text):
		return fmt.Errorf("--print goes with --format text, not %s", c.Format)
	}
	return nil
}

func (c *checkCommand) run(ctx context.Context, t *terminal) error {
	if c.Explain != "" {
		return explain(t, c.Explain)
	}
	network := conn.New(conn.Options{})
	defer network.Close()
	src := sourceIn(c.world(), c.fileFlags, c.Files, network)
	found, err := guarded(ctx, src, src.check, func(left *schema.Checked) {
		if left.Set != nil {
			closeAll(left.Set.Probes)
		}
	})
	if err != nil {
		return src.unread(t, err, statusFailed)
	}
	if found.Set != nil {
		defer closeAll(found.Set.Probes)
	}
	r := report.Of(src.name, found)
	r.Version, r.Root = thisBuild().Version, report.Workspace()
	format := report.Format(c.Format)
	if c.Print {
		format = report.Text // on standard error: the file has the other one for itself
	}
	if err := report.Print(t.out, t.err, format, r); err != nil {
		return cannot(err, "")
	}
	return c.conclude(t, src, found, format == report.Text || format == report.Auto)
}

// conclude says how it ended, in full where people read.
func (c *checkCommand) conclude(t *terminal, src source, found *schema.Checked, text bool) error {
	problems, warnings := len(found.Problems), len(found.Warnings)
	if problems > 0 {
		f := &failure{status: statusFailed, err: fmt.Errorf("%s: %s", src.name, count(problems, "problem"))}
		if text {
			f.hint = "each stands above as file:line:column and ends with its rule; sonde check --explain RULE says more of one"
			f.hint += src.unfilled(found.Problems)
		}
		return f
	}
	if c.Print {
		if err := schema.WriteYAML(t.out, found.Set.Effective(), c.Origin); err != nil {
			return cannot(fmt.Errorf("printing the effective file: %w", err), "")
		}
	} else if text {
		verdict := "no problems"
		if warnings > 0 {
			verdict = count(warnings, "warning")
		}
		if _, err := fmt.Fprintf(t.out, "%s: %s, %s\n", clean(src.name), count(len(found.Set.Probes), "probe"), verdict); err != nil {
			return cannot(err, "")
		}
	}
	if c.LintFatal && warnings > 0 {
		return exitStatus(statusWarned)
	}
	return nil
}

// explain prints what there is to say of a rule.
func explain(t *terminal, rule string) error {
	err := report.Explain(t.out, rule)
	var unknown *report.UnknownRule
	if errors.As(err, &unknown) {
		return cannot(err, unknown.Hint())
	}
	return err
}
