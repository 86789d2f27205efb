package kinds

import (
	"errors"

	"sonde/probe"
	"sonde/probe/conn"
)

// guarded is a call that is ended in any case, and once: without its end a connection, and its place among those of
// the host, would be lost for good. An end that panics is one, too; see conn.Call.End.
type guarded struct {
	conn.Caller
	ended bool
}

// End ends the call, and returns its record.
func (g *guarded) End(err error) probe.Attempt {
	g.ended = true
	return g.Caller.End(err)
}

// guard ends the call of a prober that panics; it is deferred. Probe.Run makes of the panic what it is.
func (g *guarded) guard() {
	if !g.ended {
		g.End(errPanicked)
	}
}

var errPanicked = errors.New("the prober panicked")
