// Bench measures what probing costs, in a way that anybody can repeat: go run ./cmd/bench
//
// It starts a server of many endpoints on loopback, in a process of its own, and has them probed in the
// same open, evenly spread pattern by sonde (the real program, built for the purpose), by a bare
// net/http loop (a goroutine a target), and by Debian's prometheus-blackbox-exporter where that is
// installed; one after the other, in several rounds whose order turns. What it prints are medians over
// the rounds with their spread, and ratios to the bare loop's number of the same round.
//
// It needs Linux, for /proc and 127.0.0.0/8. All traffic stays on loopback, all processes that it
// starts end with it, and its rates, numbers and durations are bounded.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// Exit statuses.
const (
	statusWorse  = 1 // --short: something is far worse than it is stated to be
	statusCannot = 2
)

// errWorse is what --short ends with when a bound is broken.
var errWorse = fmt.Errorf("sonde costs more than %.1f times what the bare loop does", caught)

func main() {
	// Children are killed when the thread that started them ends, so it has to be this one, for good.
	runtime.LockOSThread()
	if len(os.Args) == 3 {
		if child := children[os.Args[1]]; child != nil {
			os.Exit(childMain(child, os.Args[2]))
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parseFlags(os.Args[1:])
	if err == nil {
		err = o.run(ctx)
	}
	switch {
	case errors.Is(err, errHelp):
	case errors.Is(err, errWorse):
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(statusWorse)
	case err != nil:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(statusCannot)
	}
}
