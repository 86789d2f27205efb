package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

type onceCommand struct {
	fileFlags
	Args     []string `arg:"" optional:"" name:"FILE|PROBE" help:"Names choose probes (default: all), and so do patterns of names such as 'api.*'. What ends in .yaml or .yml, or is there as a file or folder, is the same as --config.file."`
	Output   string   `short:"o" enum:"table,json,junit" default:"table" help:"How results are printed: ${enum}."`
	Deadline span     `placeholder:"DURATION" help:"End all that has not ended by then, as in 30s; what has is kept."`
	FailOn   string   `name:"fail-on" enum:"down,flaky" default:"down" placeholder:"VERDICT" help:"down: exit 1 when a probe is down or unknown; flaky: also when one is flaky (default: ${default})."`
	shardFlag
	probeFlags
	LogLevel  string `name:"log.level" enum:"debug,info,warn,error," default:"" placeholder:"LEVEL" help:"What to log: error, warn (retries, too), info (what came of each run, too) or debug (default: warn; error while progress is shown on a terminal)."`
	LogFormat string `name:"log.format" enum:"logfmt,json" default:"logfmt" placeholder:"FORMAT" help:"How to log: ${enum} (default: ${default})."`
}

// Help is shown by sonde once --help.
func (*onceCommand) Help() string {
	return `Retries as run does; while one probe waits to retry, others are run. A retry that has to wait for its turn among --probe.concurrency puts the run's own deadline off by as long. Exits 0 when all passed, flaky ones included, 1 when some are down or unknown, 2 when it could not run, 130 after Ctrl-C.

Example: sonde once probes.yaml shop-home --output json --deadline 1m`
}

func (c *onceCommand) run(ctx context.Context, t *terminal) error {
	t.detach(ctx)
	part, err := c.shard()
	if err != nil {
		return err
	}
	network := conn.New(c.connections(func() *slog.Logger { return c.logger(t) }))
	defer network.Close()
	files, names := splitArgs(c.Args)
	src := sourceOf(c.fileFlags, files, network)
	set, err := src.loadOrSay(ctx, t, statusCannot)
	if err != nil {
		return err
	}
	defer closeAll(set.Probes)
	probes, err := pick(set, names, "sonde once without a name runs them all")
	if err != nil {
		return err
	}
	if len(probes) == 0 {
		return nothing(set.Files)
	}
	if n := len(set.Warnings); n > 0 {
		t.say("%s: see sonde check %s", count(n, "warning"), src.arguments())
	}
	if part.Divided() {
		d := divide(part, probes)
		if err := d.elsewhere(names, probes); err != nil {
			return err
		}
		t.say("%s", d)
		probes = d.own
	}
	return c.show(ctx, t, probes)
}

// show runs the probes, prints what came of them, and ends with the exit status that this means.
func (c *onceCommand) show(ctx context.Context, t *terminal, probes []*probe.Probe) error {
	if c.Deadline > 0 {
		t.queue.hurry()
	}
	started := time.Now()
	results := newBatch(probes, c.Concurrency, c.Deadline, c.logger(t)).watched(ctx, t)
	finished := slices.DeleteFunc(slices.Clone(results), canceled)
	if err := c.print(t, finished, started); err != nil {
		return cannot(fmt.Errorf("printing the results: %w", err), "")
	}
	return c.verdict(ctx, t, results, finished)
}

// nothing is the failure of a once that has nothing to run: green would say that all is well.
func nothing(files []string) error {
	return cannot(fmt.Errorf("%s: no probe is declared and enabled, so there is nothing to run", strings.Join(files, ", ")),
		"declare one below probes:, or take enabled: false off one")
}

// splitArgs tells files from names of probes. A file is what exists as one, what ends as one, and a
// folder that is written as a path or has such files in it.
func splitArgs(args []string) (files, names []string) {
	for _, a := range args {
		if isYAML(a) || strings.ContainsRune(a, filepath.Separator) || isSource(a) {
			files = append(files, a)
		} else {
			names = append(names, a)
		}
	}
	return files, names
}

func isSource(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return err == nil
	}
	entries, err := os.ReadDir(path)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return isYAML(e.Name()) })
}

// logger logs retries where no progress is shown; a line of log would tear the progress apart.
func (c *onceCommand) logger(t *terminal) *slog.Logger {
	level := c.LogLevel
	if level == "" {
		level = "warn"
		if t.live {
			level = "error"
		}
	}
	return logFlags{Level: level, Format: c.LogFormat}.logger(t.queue)
}

func (c *onceCommand) print(t *terminal, results []*probe.Result, started time.Time) error {
	took := time.Since(started)
	switch c.Output {
	case "json":
		return writeJSON(t.out, results)
	case "junit":
		return writeJUnit(t.out, results, started, took)
	}
	return table{width: t.width, colour: t.colour}.print(t.out, results, took)
}

// verdict is the exit status.
func (c *onceCommand) verdict(ctx context.Context, t *terminal, all, finished []*probe.Result) error {
	if ctx.Err() != nil && len(finished) < len(all) {
		t.say("interrupted: %d of %s finished; not finished: %s", len(finished), count(len(all), "probe"), unfinished(all))
		return exitStatus(interruptStatus(context.Cause(ctx)))
	}
	n := tallyOf(finished)
	if n[probe.Down]+n[probe.Unknown] > 0 || c.FailOn == "flaky" && n[probe.Flaky] > 0 {
		return exitStatus(statusFailed)
	}
	return nil
}

// mostNamed is how many probes are named on one line.
const mostNamed = 5

// unfinished names the probes whose runs were canceled, in the order of the file.
func unfinished(results []*probe.Result) string {
	var names []string
	n := 0
	for _, r := range results {
		if !canceled(r) {
			continue
		}
		if n++; n <= mostNamed {
			names = append(names, r.Probe.Name)
		}
	}
	text := strings.Join(names, ", ")
	if n > mostNamed {
		text += fmt.Sprintf(" and %d more", n-mostNamed)
	}
	return text
}

// closeAll closes the probers that hold something and will not run (again).
func closeAll(probes []*probe.Probe) {
	for _, p := range probes {
		p.Close()
	}
}

// interruptStatus is 128 and the number of the signal, as shells have it.
func interruptStatus(cause error) int {
	var i interrupted
	if errors.As(cause, &i) {
		return i.status()
	}
	return statusInterrupted
}
