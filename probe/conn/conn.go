// Package conn makes and keeps connections, holds an attempt to its four time limits, and names what
// went wrong. It is the only package that tells by Go's error types what a target has done. One call sends one
// request once: nothing here retries, follows a redirect or sends again.
//
// # The road of an attempt
//
//  1. Network.Start makes a Call: a clock that is always in one of the seven phases, and the limits,
//     which are timers that end the call's context with a *LimitError as its cause. No context carries a
//     deadline.
//  2. Call.RoundTrip asks the pool (pool.go, queue.go) for a connection of the Route: one at hand, or
//     leave to make one, in the order of asking, within bounds that somebody has set and within the file
//     descriptors that there are (room.go).
//  3. A new one is resolved, dialled, led through a proxy and secured here (resolve.go, dial.go,
//     connect_linux.go, proxy.go, tunnel.go, secure.go; package dns says what a name stands for) and
//     becomes a link. Nobody watches one that is idle and speaks HTTP/1: that its peer has ended it, or has
//     said something unasked, shows when it is taken again (wire.go) or, without TLS, when it is asked (ask.go).
//  4. On HTTP/1 the goroutine of the attempt writes the request in one write, and reads the answer (http1.go):
//     one that is as most are by itself (response.go), any other with http.ReadResponse. What one write does
//     not take is written beside the reading (request.go). On HTTP/2 the exchange is
//     http.Transport.NewClientConn's (http2.go, sending.go), which resends nothing. What cuts the call closes the one's
//     socket and ends the other's stream (cut.go).
//  5. The link (link.go) sees every byte above TLS. On HTTP/1 it counts; on HTTP/2 it watches the frames
//     pass (frames.go). What it sees is the evidence.
//  6. Call.End names the reason (classify.go): what cut the call comes first, then what the kind has
//     found, then phase and evidence, and the types of errors last (leaf.go). It puts the error into words
//     for somebody who has never seen Go (tell.go).
//
// # The files, by subject
//
//   - The doors: conn.go, network.go (also the order of the locks), starter.go (for kinds), use.go (a prober's claim to
//     a route), call.go, end.go and remote.go (an attempt).
//   - Which connection: pool.go, queue.go, keep.go and lru.go (the idle), perhost.go and room.go (the bounds), frugal.go
//     and shortage.go (what is lacking).
//   - A new one: resolve.go (asks package dns); dial.go, connect_linux.go, reset.go; proxy.go, tunnel.go; secure.go,
//     papers.go (certificates).
//   - One that is there: link.go, wire.go (below TLS), ask.go and ask_*.go, close.go, unstick.go; home*.go (on this
//     machine); the kernel's socket: socket_*.go, name_linux.go, transfer_linux.go.
//   - What goes over it: roundtrip.go, exchange.go; request.go, render.go, response.go, body.go; http1.go; http2.go,
//     sending.go, frames.go, scanner.go and waste.go; talk.go (another protocol).
//   - Time: limit.go, timer.go, cut.go; watch.go and late.go (our own lateness).
//   - What went wrong: classify.go, leaf.go, tell.go; bug.go (a panic of ours).
//
// # Whose fault
//
// A limit that fires says nothing of the target while this process is starved, nor does the run's own
// deadline. The limits run on a clock from which the watch's lateness is taken away (watch.go). A deadline
// cannot wait, so what counts is whether a stall has taken a fair part of the run, be it before the attempt
// began (retry.SpanOf tells when it should have). And the kernel is asked whether the target has done its
// part (late.go). Then the reason is prober_late. An attempt that has passed was not cut, however late we
// were to hear of it.
//
// Nor does it say anything of the target when what has passed is the time in the queue, or what the queue has
// left of it (shortage.go). Then the reason is pool_timeout where a bound that somebody has set was met, and
// local_resource where it was only the descriptors; so it is when the kernel has none (frugal.go).
//
// A target on this machine is starved with us (home.go): its clock loses our lateness twice, half the stall
// counts, and where the machine is short of processors the kernel is asked whether it has so much as read
// what we sent. What is left cannot be told from outside: a server of this machine that has read a request
// and then gets no processor, while we are hardly late, looks as one that is silent, and is called so.
//
// # What the program owes
//
// Go's HTTP/2 client writes to the standard logger when a peer misbehaves, so that logger needs an output
// that bears it: one that logs such lines at debug, as the program's does, or, in tests, memnet.Quiet.
// Network.Close when all is over. A prober claims its route with Network.Use, so that connections that
// nobody is going to use do not lie about.
//
// # Numbers
//
// BenchmarkAttempt has an attempt beside http.Transport.RoundTrip; the server that both ask is a process of its
// own. Medians of seven rounds side by side, on a machine of two cores with a load of 19: on a kept HTTP/1.1
// connection 0.49 times the processor's time (0.38 to 0.58; with net/http's ClientConn it had been 1.37, and 0.74
// with http.ReadResponse and a socket of package os) and 9 allocations to 38; on a fresh one 0.56 times (0.48 to
// 0.62; it had been 1.04, and 0.63) and 21 to 77.
//
// BenchmarkEngine, in cmd/sonde, has the same with all that a run does: the engine, the kind, the counting, the
// page and the log. Medians of nine rounds on the same machine, with that load: on a kept connection 0.64 times the
// bare round trip's time (0.86 before, in the same hour) and 10 allocations to 40; on a fresh one 0.66 times (0.82)
// and 18 to 79.
//
// Once it has its connection an attempt in progress holds no goroutine on HTTP/1 but the one of its run, save
// for an upload that one write does not take, and two more on HTTP/2; ten thousand runs at a time hold that and
// leave none (TestManyRuns in package kinds). Until then it may hold others for a while: a lookup those of Go's
// resolver, and one of ours where addresses are kept; a name with several addresses one for each that is
// being dialled. One timer serves its limits, and
// one the watch of the whole network. BenchmarkAtRest says what a kept connection without TLS takes of
// the heap, its route included (1,554 bytes), and what a route takes that has none (556 bytes with the Route itself).
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
	// MaxConnections bounds the open connections over all hosts; 0 is no bound. Who waits in vain for one gets
	// pool_timeout, as with Connection.PerHost.
	MaxConnections int
	// Descriptors bounds what connections take of the process's descriptors. Who waits in vain for one gets
	// local_resource.
	Descriptors Descriptors
	// Chains keeps in probe.TLSFacts what the certificates of peers say of themselves. It costs memory for
	// each connection, so a process that probes for long goes without.
	Chains bool
	// Dial opens one connection to one address (host:port with a literal IP); nil is the kernel's. Tests
	// bring an in-memory network, such as package memnet's.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Lookup resolves a name; nil is Go's own resolver.
	Lookup func(ctx context.Context, host string) ([]net.IP, error)
	// LookupTTL resolves a name for routes whose Connection.DNSCache is set, and tells for how long the answer
	// may be kept. nil is Go's own resolver or, where Lookup is given, that, of which nothing is kept.
	LookupTTL func(ctx context.Context, host string) ([]net.IP, time.Duration, error)
	// Bug is told of a panic on a goroutine of the network's that belongs to no attempt, or to one that has ended;
	// nil lets it end the process. It may be called at any time, by several at a time, and must not call the network.
	// The value may quote a secret of whatever probe.
	Bug func(*probe.PanicError)
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
	// Proxy is what the connections are made through; nil is none.
	Proxy *Proxy
	// Connection says whether and how long connections are kept.
	Connection probe.Connection
	// Due says when a probe that may use the route's connections runs next after t; nil is never.
	Due func(t time.Time) time.Time

	use *Use // the claim to it, under Network.mu
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
