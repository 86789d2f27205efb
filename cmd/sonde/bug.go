package main

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"

	"sonde/probe"
)

// bug is a panic of ours while a source was read, and where it was.
type bug struct {
	source string
	value  any
	stack  []byte
}

// Error is without the stack, which is for the log alone.
func (b *bug) Error() string {
	return fmt.Sprintf("reading %s hit a bug of sonde: %v", b.source, b.value)
}

// bugStack is where the panic was that ended in err; empty when none did.
func bugStack(err error) string {
	var b *bug
	if errors.As(err, &b) {
		return string(b.stack)
	}
	return ""
}

// logStray logs a panic of a network's that belongs to no attempt. What it was is told of Go's own only: anything else
// may quote a secret, and of which probe nobody knows.
func logStray(l *slog.Logger, p *probe.PanicError) {
	text := fmt.Sprintf("a panic with a %T", p.Value)
	if e, ok := p.Value.(runtime.Error); ok {
		text = e.Error()
	}
	l.Error("a connection hit a bug of sonde; no attempt is to blame", "error", clean(text), "stack", string(p.Stack))
}
