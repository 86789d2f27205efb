package main

import (
	"errors"
	"fmt"
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
