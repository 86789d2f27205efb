package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// interrupted is the cause with which the program's context ends: the signal that asked for it.
type interrupted struct{ signal os.Signal }

// Error names the signal.
func (i interrupted) Error() string { return fmt.Sprintf("stopped by a signal (%v)", i.signal) }

// status is the exit status of a program that the signal has ended: 128 and its number, as in a shell.
func (i interrupted) status() int {
	if s, ok := i.signal.(syscall.Signal); ok {
		return 128 + int(s)
	}
	return statusInterrupted
}

// outliveReaders lets the process outlive whoever reads its standard error, as in `sonde run 2>&1 | head`:
// Go ends one that writes to a broken pipe there, unless it has asked to be told. It holds until the process
// ends, for the last lines are written late.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// withSignals returns a context that the first SIGINT or SIGTERM ends; the second ends the program at
// once, for a person who does not want to wait. stop gives the signals back to the system.
func withSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		cancel(interrupted{<-signals})
		os.Exit(interrupted{<-signals}.status())
	}()
	return ctx, func() { signal.Stop(signals) }
}
