package conn

import (
	"context"
	"net"
	"net/http"
	"time"

	"sonde/probe"
)

// The three interfaces below are all that kinds of probe need of a Network and its calls; what they hand to them, and
// get, are the plain types of this package. They are there for one other network: that of package script, which
// plays what a test file says, in virtual time.

// Starter begins attempts. Network.Starter is the real one.
type Starter interface {
	// Start begins an attempt; see Network.Start.
	Start(ctx context.Context, l probe.Limits) Caller
	// Use registers a route that a prober is going to use; see Network.Use.
	Use(r *Route) Claim
}

// Caller is one attempt in progress; see Call.
type Caller interface {
	// Now is the time on the attempt's clock.
	Now() time.Time
	// RoundTrip sends the request once; see Call.RoundTrip.
	RoundTrip(r *Route, req *http.Request, fresh bool) (*http.Response, error)
	// Dial opens a connection for a protocol of the kind's own; see Call.Dial.
	Dial(r *Route) (net.Conn, error)
	// RemoteAddress is the address that the last exchange went to; see Call.RemoteAddress.
	RemoteAddress() string
	// End ends the attempt and returns its record; see Call.End.
	End(err error) probe.Attempt
}

// Claim is a prober's claim to the connections of a route; see Use.
type Claim interface {
	Rest()
	Release()
}

// Starter is the network as kinds take it.
func (n *Network) Starter() Starter { return starter{n} }

// starter is a network whose methods return interfaces.
type starter struct{ net *Network }

func (s starter) Start(ctx context.Context, l probe.Limits) Caller { return s.net.Start(ctx, l) }
func (s starter) Use(r *Route) Claim                               { return s.net.Use(r) }

// Now is the time.
func (c *Call) Now() time.Time { return time.Now() }
