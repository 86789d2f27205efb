package conn

import (
	"context"
	"fmt"
	"sync/atomic"

	"sonde/probe"
)

// note keeps what the resolver does not tell: that something of ours was used up, or that it has panicked on a
// goroutine of the resolver's.
type note struct {
	ours  atomic.Pointer[error]
	bug   atomic.Pointer[probe.PanicError] // noteOver once the lookup is
	stray func(*probe.PanicError)
}

// noteOver is the bug of a note that nobody reads any more.
var noteOver = new(probe.PanicError)

type noteKey struct{}

// noteOf is the note of the lookup whose context it is, or one that nobody reads.
func noteOf(ctx context.Context, stray func(*probe.PanicError)) *note {
	if n, ok := ctx.Value(noteKey{}).(*note); ok {
		return n
	}
	n := &note{stray: stray}
	n.bug.Store(noteOver)
	return n
}

// say notes an error of connecting to a name server.
func (n *note) say(err error) {
	if local(err) {
		n.ours.CompareAndSwap(nil, &err)
	}
}

// amend is what the lookup has come to, with what is noted. It is called once, at its end.
func (n *note) amend(err error) error {
	if p := n.bug.Swap(noteOver); p != nil {
		return p
	}
	if ours := n.ours.Load(); err != nil && ours != nil {
		return fmt.Errorf("%w (%w)", err, *ours)
	}
	return err
}

// guard is deferred by what the resolver calls.
func (n *note) guard() {
	if v := recover(); v != nil {
		n.upset(probe.Panicked(v))
	}
}

// caught is guard where there is an error to return.
func (n *note) caught(err *error) {
	if v := recover(); v != nil {
		p := probe.Panicked(v)
		*err = p
		n.upset(p)
	}
}

func (n *note) upset(p *probe.PanicError) {
	if !n.bug.CompareAndSwap(nil, p) && n.bug.Load() == noteOver {
		n.stray(p)
	}
}
