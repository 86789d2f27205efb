// Package conn makes and keeps connections, holds an attempt to its four time limits, and names what
// went wrong. It is the only package that knows Go's error types. One call sends one request once:
// nothing here retries, follows a redirect or sends again.
package conn

import (
	"context"
	"crypto/tls"
	"net"
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
