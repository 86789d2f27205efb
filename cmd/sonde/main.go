// Sonde probes endpoints that a YAML file declares, retries within a declared budget, and tells flaky
// from down.
//
// # The files, by subject
//
//   - The command line: main.go, cli.go (the table of commands), terminal.go (how the program speaks), help.go
//     (how help ends), clean.go, wrap.go, grid.go, nearest.go, duration.go, signals.go; complete.go, completevalues.go
//     and completion.go are what shells ask for.
//   - Where probes come from: load.go reads files, bug.go is what a panic in that becomes, named.go takes words
//     of a command line for names of probes, demo.go and demo_*.go have probes and endpoints of their own.
//   - run: run.go wires it, of parts.go; reload.go, watch.go, reached.go and mount.go see that files have changed
//     and swap them; web.go, webcheck.go, webconfig.go with snapshot*.go, serve.go, shared.go and scrapes.go serve;
//     pace.go is the collector's pace and descriptors*.go the files that may be open; shard.go and divide.go say which
//     part of the probes is run.
//   - What is logged: logger.go, logqueue.go (nobody waits for it), log.go, spell.go (a row of failures is told in few lines).
//   - once: once.go, batch.go, slots.go, progress.go. What came of it: outcome.go, table.go, json.go, junit.go.
//   - explain: explain.go, explain_answer.go (an attempt), explain_failure.go, explain_draw.go, explain_text.go.
//   - plan: plan.go, plan_text.go, plan_json.go, plan_timeline.go (a run), plan_shards.go (several processes).
//   - diff: diff.go, compare.go (what differs), diff_words.go, diff_text.go, diff_markdown.go, diff_json.go.
//   - test: test.go, testfiles.go (which), testload.go, testreport.go.
//   - init: init.go, inittargets.go, writefile.go (whole, or not at all).
//   - The small commands: check.go, schema.go, version.go, healthcheck.go.
package main

import (
	"context"
	"io"
	"os"
)

func main() {
	ctx, stop := withSignals(context.Background())
	code := dispatch(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit statuses.
const (
	statusOK          = 0   // all is well
	statusFailed      = 1   // a probe failed, a file is invalid, the running one is not healthy
	statusCannot      = 2   // the command could not do its work, or was called wrongly
	statusWarned      = 3   // check --lint-fatal found warnings
	statusInterrupted = 130 // once was interrupted
)

// dispatch runs the command that the arguments name and returns the exit status. ctx ends with an
// interrupted cause when the program is asked to stop. Results go to stdout, all else to stderr.
func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	t := newTerminal(stdout, stderr)
	defer t.close()
	cmd, err := parse(args, t)
	if err == nil && cmd != nil {
		err = cmd.run(ctx, t)
	}
	return t.report(err)
}
