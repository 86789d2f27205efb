package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/schema"
)

type explainCommand struct {
	fileFlags
	Args     []string `arg:"" optional:"" name:"FILE|PROBE" help:"The name of the probe, or a pattern of names such as 'api.*'; what ends in .yaml or .yml, or is there as a file or folder, is the same as --config.file."`
	Output   string   `short:"o" enum:"text,json" default:"text" help:"How the run is shown: ${enum}; json is that of sonde once."`
	Curl     bool     `help:"Print the first attempt's request as a command of curl, without secrets, and send nothing; they need not be here."`
	Deadline span     `placeholder:"DURATION" help:"End the run by then, as in 30s."`
	probeFlags
	Log logFlags `embed:""`
}

// Help is shown by sonde explain --help.
func (*explainCommand) Help() string {
	return `Runs the probe once, as run does, and tells it attempt by attempt: phases, waits, what was decided and by which key of the file, certificates, what was expected and found. A disabled probe can be explained, too, and one beside others whose secrets or certificates are not there. Exits 0 when it passed, 1 when it is down or unknown, 2 when it could not run, 130 after Ctrl-C.

Example: sonde explain probes.yaml shop-home

Example: sonde explain shop-home --curl`
}

func (c *explainCommand) run(ctx context.Context, t *terminal) error {
	t.detach(ctx)
	options := c.connections(func() *slog.Logger { return c.Log.newLogger(t.err) })
	options.Chains = true
	network := conn.New(options)
	defer network.Close()
	files, names := splitArgs(c.Args)
	chosen, err := c.choose(ctx, t, files, names, network)
	if err != nil {
		return err
	}
	if c.Curl {
		return printCurl(t.out, chosen)
	}
	return c.explain(ctx, t, chosen)
}

// choose loads the files and finds the probes that are named. They are made anew afterwards, for a disabled one
// is not in the set.
func (c *explainCommand) choose(ctx context.Context, t *terminal, files, names []string, network *conn.Network) ([]schema.Declared, error) {
	src := c.source(files, network)
	set, err := src.load(ctx)
	var problems schema.Problems
	if errors.As(err, &problems) && len(names) > 0 {
		lenient := sourceIn(secretFlags{NoSecrets: true}.world(), c.fileFlags, files, network)
		if chosen := spared(ctx, lenient, names); chosen != nil {
			t.say("%s of other probes, which cannot run: sonde check %s tells", count(len(problems), "problem"), src.arguments())
			return chosen, nil
		}
	}
	if err != nil {
		return nil, src.say(t, err, statusCannot)
	}
	closeAll(set.Probes)
	if len(names) == 0 {
		return nil, cannot(errNoName, "sonde once runs all of them, and sonde explain --help has an example")
	}
	return named(set.Declared(), names, "sonde check --print shows all")
}

// spared are the probes that are named, where secrets and files are not there that only others want: at night
// nobody waits for those. It is nil when anything else is wrong, and when one of these probes lacks something.
func spared(ctx context.Context, lenient source, names []string) []schema.Declared {
	set, err := lenient.load(ctx)
	if err != nil {
		return nil
	}
	closeAll(set.Probes)
	chosen, err := named(set.Declared(), names, "")
	if err != nil || slices.ContainsFunc(chosen, func(d schema.Declared) bool { return d.Lacks }) {
		return nil
	}
	return chosen
}

// source is where the probe is declared. A command of curl says where the secrets are, and is made
// without them.
func (c *explainCommand) source(files []string, network *conn.Network) source {
	if c.Curl {
		return sourceIn(secretFlags{NoSecrets: true}.world(), c.fileFlags, files, network)
	}
	return sourceOf(c.fileFlags, files, network)
}

// printCurl prints the commands, one for each probe, and sends nothing. Of several, those that have no
// such form are named.
func printCurl(out io.Writer, chosen []schema.Declared) error {
	var b strings.Builder
	for i, d := range chosen {
		text, err := curlOf(d)
		switch {
		case len(chosen) == 1 && err != nil:
			return cannot(err, "sonde explain "+d.Name+" runs it and tells what happened")
		case err != nil:
			text = "# " + clean(err.Error()) + "\n"
		case len(chosen) > 1:
			text = "# " + d.Name + "\n" + text
		}
		b.WriteString(map[bool]string{true: "\n"}[i > 0] + text)
	}
	if _, err := io.WriteString(out, b.String()); err != nil {
		return cannot(fmt.Errorf("printing the command: %w", err), "")
	}
	return nil
}

// curlOf is a probe's command.
func curlOf(d schema.Declared) (string, error) {
	curler, ok := d.Settings.(probe.Curler)
	if !ok {
		return "", fmt.Errorf("probe %s is of a kind that has no form in curl", d.Name)
	}
	text, err := curler.Curl(d.Env)
	if err != nil {
		return "", fmt.Errorf("probe %s has no form in curl: %w", d.Name, d.Env.Secrets.Error(err))
	}
	return text, nil
}

// explain runs the probes and tells what happened.
func (c *explainCommand) explain(ctx context.Context, t *terminal, chosen []schema.Declared) error {
	probes := make([]*probe.Probe, 0, len(chosen))
	defer func() { closeAll(probes) }()
	for _, d := range chosen {
		p, err := d.Build()
		if err != nil {
			return cannot(err, "")
		}
		probes = append(probes, p)
	}
	if c.Deadline > 0 {
		t.queue.hurry()
	}
	results := newBatch(probes, c.Concurrency, c.Deadline, c.Log.logger(t.queue)).watched(ctx, t)
	if err := c.print(t, chosen, results); err != nil {
		return cannot(fmt.Errorf("printing what happened: %w", err), "")
	}
	n := tallyOf(results)
	switch {
	case slices.ContainsFunc(results, canceled):
		return exitStatus(interruptStatus(context.Cause(ctx)))
	case n[probe.Down]+n[probe.Unknown] > 0:
		return exitStatus(statusFailed)
	}
	return nil
}

func (c *explainCommand) print(t *terminal, chosen []schema.Declared, results []*probe.Result) error {
	if c.Output == "json" {
		return writeJSON(t.out, results)
	}
	x := &teller{width: t.width, colour: t.colour, ascii: t.ascii, now: time.Now()}
	for i, r := range results {
		if i > 0 {
			x.b.WriteString("\n")
		}
		x.tell(r, chosen[i].Enabled)
	}
	_, err := io.WriteString(t.out, x.text())
	return err
}
