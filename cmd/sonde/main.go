// Sonde probes endpoints that a YAML file declares, retries within a declared budget, and tells flaky
// from down.
//
// A file here is a command (run.go, once.go, check.go, …) or a thing that commands share: terminal.go
// says how the program speaks, load.go how files are read, log.go and logger.go what is logged,
// table.go, json.go and junit.go how results are printed, testreport.go how those of test, serve.go,
// reload.go and watch.go what run is made of, help.go how help ends, complete.go what shells ask for.
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
	cmd, err := parse(args, t)
	if err == nil && cmd != nil {
		err = cmd.run(ctx, t)
	}
	return t.report(err)
}
