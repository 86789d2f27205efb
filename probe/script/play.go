package script

import (
	"context"

	"sonde/probe"
	"sonde/probe/retry"
)

// Played is what came of a test.
type Played struct {
	Result *probe.Result
	// Requests is how many requests were sent.
	Requests int
	// Faults are what is wrong with the script, seen by playing it. The places are paths below the test.
	Faults []probe.Fault
}

// Play runs the probe, whose prober must have been made over the network, once, with the endpoint that
// the test describes. It takes no time but that of computing. A run that would never end is given up, with
// a fault.
func (n *Network) Play(ctx context.Context, p *probe.Probe, t *Test) Played {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	n.begin(t, giveUp)
	chance := 0.5
	if t.Chance != nil {
		chance = *t.Chance
	}
	e := &retry.Engine{Clock: n.clock, Chance: func() float64 { return chance }}
	r := p.Run(ctx, e, probe.Sinks{})
	return Played{Result: r, Requests: n.requests, Faults: n.faults}
}
