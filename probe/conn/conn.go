// Package conn makes and keeps connections, holds an attempt to its four time limits, and names what
// went wrong. It is the only package that knows Go's error types. One call sends one request once:
// nothing here retries, follows a redirect or sends again.
package conn

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"sonde/probe"
)

// Options are what a Network is made with; the zero value is the ordinary one.
type Options struct {
	// MaxConnections bounds the open connections over all hosts; 0 is no bound.
	MaxConnections int
	// Dial opens one connection to one address (host:port with a literal IP); nil is the kernel's. Tests
	// bring an in-memory network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Lookup resolves a name; nil is Go's own resolver.
	Lookup func(ctx context.Context, host string) ([]net.IP, error)
}

// Network is one process's connections. It has no goroutine of its own while it holds none.
type Network struct{}

// New makes a network.
func New(o Options) *Network { return &Network{} }

// Close closes every connection, idle or in use, and waits until their goroutines have ended.
func (n *Network) Close() {}

// Version is which HTTP a route speaks.
type Version string

// The versions of HTTP.
const (
	Auto Version = "auto" // HTTP/2 where ALPN agrees, else HTTP/1.1
	V1   Version = "1.1"
	V2   Version = "2"
	H2C  Version = "h2c" // HTTP/2 without TLS
)

// Route is where connections lead and how they are made. Two requests may share a connection when
// their routes are equal but for Due.
type Route struct {
	// Address is host:port; the host may be a name or a literal IP.
	Address string
	// TLS is nil for a connection without TLS.
	TLS *TLS
	// Version matters to RoundTrip only; empty is Auto.
	Version Version
	// Connection says whether and how long connections are kept.
	Connection probe.Connection
	// Due says when a probe that may use the route's connections runs next after t; nil is never.
	Due func(t time.Time) time.Time
}

// TLS is how a route does TLS. Key tells apart configurations that must not share a connection: it is
// derived from every setting and from the content of the files.
type TLS struct {
	Config *tls.Config
	Key    string
}

// Call is one attempt in progress: it knows in which phase the attempt is, runs the limits, and keeps
// the evidence. Its methods may be used by one goroutine at a time.
type Call struct{}

// Start begins an attempt: the clock of its phases and the limit total run from here until End.
func (n *Network) Start(ctx context.Context, l probe.Limits) *Call { return &Call{} }

// RoundTrip sends the request once, on a kept connection of the route or, with fresh or where none is
// kept, on a new one, and returns when the response header is complete. It adds nothing to the request
// but what the protocol demands. The body must be read or closed; reading obeys the limits, closing
// drains within a bound so that the connection can be kept. A call may make several round trips, one
// after the other, as redirects demand; the limit connect runs anew for each, total over all.
func (c *Call) RoundTrip(r *Route, req *http.Request, fresh bool) (*http.Response, error) {
	panic("not yet")
}

// Dial opens a connection of the route for a protocol of the caller's, TLS included. Reads and writes
// on it move the phases and obey the limits: writing is phase write, reading phase wait until the
// first byte and transfer after it; sock_read runs from the dial or from the last write, and anew at
// each byte read. It is closed by End.
func (c *Call) Dial(r *Route) (net.Conn, error) { panic("not yet") }

// End ends the attempt and returns its record: reason, evidence, phases, limit, addresses, TLS facts.
// err is nil for an attempt that passed, what RoundTrip, the body or the connection returned, or a
// *Failure of the kind's own; what cut the attempt (a limit, the run's end) beats it.
func (c *Call) End(err error) probe.Attempt { panic("not yet") }

// Failure is a failure that the kind, not the connection, has found: a status, an assertion, a redirect.
type Failure struct {
	Reason    probe.Reason
	Transient bool
	Err       error
}

// Error is the error's text.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap leads to the error.
func (f *Failure) Unwrap() error { return f.Err }
