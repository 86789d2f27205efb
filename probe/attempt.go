package probe

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"sonde/probe/retry"
)

// Evidence says how far an attempt got; see package retry.
type Evidence = retry.Evidence

// How far an attempt got.
const (
	NeverSent  = retry.NeverSent
	Refused    = retry.Refused
	Unanswered = retry.Unanswered
	Answered   = retry.Answered
)

// Phase is where an attempt was: it is always in exactly one.
type Phase int

// The phases, in the order in which an attempt goes through them.
const (
	PhaseQueue    Phase = iota // waiting for a connection of ours, or for a turn on one that is shared
	PhaseResolve               // asking for the addresses
	PhaseConnect               // connecting, up to a proxy's answer to CONNECT
	PhaseTLS                   // the TLS handshake
	PhaseWrite                 // until the last byte of the request is written
	PhaseWait                  // until the response header is complete
	PhaseTransfer              // the body
	NumPhases
)

var phaseNames = [NumPhases]string{"queue", "resolve", "connect", "tls", "write", "wait", "transfer"}

// String is the phase's name, as users see it.
func (p Phase) String() string { return phaseNames[p] }

// Limit names one of the four time limits of an attempt; empty is none.
type Limit string

// The four time limits of an attempt, as aiohttp has them.
const (
	// LimitTotal spans an attempt from asking for a connection to the last byte of the body.
	LimitTotal Limit = "total"
	// LimitConnect spans queue, DNS, TCP, TLS and proxy until a connection is usable; it does not run
	// when an idle connection is at hand.
	LimitConnect Limit = "connect"
	// LimitSockConnect spans TCP and TLS of a new connection over all its addresses, without DNS.
	LimitSockConnect Limit = "sock_connect"
	// LimitSockRead starts when the request is written, and anew at every byte read.
	LimitSockRead Limit = "sock_read"
)

// Reason is why an attempt failed that the limit ended; empty without a limit.
func (l Limit) Reason() Reason {
	switch l {
	case LimitTotal:
		return ReasonLimitTotal
	case LimitConnect:
		return ReasonLimitConnect
	case LimitSockConnect:
		return ReasonLimitSockConnect
	case LimitSockRead:
		return ReasonLimitSockRead
	}
	return ""
}

// Limits are the four time limits of an attempt; 0 is none.
type Limits struct {
	Total, Connect, SockConnect, SockRead time.Duration
}

// Attempt is one try: what was sent once, and what came of it. The prober fills what it saw; Number to
// Duration, Wait to Waited and HTTP.AfterResend are filled by Probe.Run.
type Attempt struct {
	// Number counts charged attempts from 1; a transparent one bears the number of the one it repeats.
	Number      int
	Transparent bool
	Started     time.Time
	Duration    time.Duration

	OK bool
	// Reason is why the attempt failed; empty when it passed.
	Reason Reason
	// Transient is whether another attempt is worth it. Probers set it from Reason.Transient or from
	// what they know better (a status set); Run applies the file's overrides.
	Transient bool
	Evidence  Evidence
	// Err is the failure with its whole chain, nil when the attempt passed. Its text holds no URL, no
	// credential and no count.
	Err error
	// Limit is the time limit that ended the attempt, and Phase where the attempt was when it failed.
	Limit Limit
	Phase Phase
	// Late is by how much our own process was late, where a limit fired or the run's deadline passed, or where the
	// attempt has outlasted a limit because of it; else 0. It does not say that the failure is ours: Reason does.
	Late time.Duration

	// Repeatable is true when sending twice does what sending once does: an idempotent method, or a key.
	Repeatable bool
	// NotReplayable is true when the same bytes cannot be had again.
	NotReplayable bool
	// Stale is true when the attempt went out on a kept connection that had died in the meantime.
	Stale bool
	// Asked is how long the other side asked us to wait, and HasAsked whether it did.
	Asked    time.Duration
	HasAsked bool

	// Wait is the planned wait after this attempt and WaitSource where it came from; Waited is how long
	// was really waited.
	Wait       time.Duration
	WaitSource retry.Source
	Waited     time.Duration
	// Ambiguous is true when this attempt repeats an unanswered request that is neither idempotent nor keyed.
	Ambiguous bool

	// RemoteAddress is the address that was used, host:port; empty when none was reached.
	RemoteAddress string
	// Proxy is the proxy that the attempt went through, host:port without a credential; RemoteAddress is then
	// one of its addresses. It is empty without a proxy.
	Proxy string
	// Addresses are the other addresses that were tried, each with its failure.
	Addresses []AddressError
	// Reused is true when the attempt went out on a kept connection.
	Reused bool
	// Phases is how long each phase took; they sum to Duration.
	Phases [NumPhases]time.Duration

	// Method is what was asked for, such as GET; empty for kinds without methods.
	Method string
	// HTTP is what the last HTTP response was; nil without one.
	HTTP *HTTP
	// TLS is what the handshake of the connection in use showed; nil without TLS.
	TLS *TLSFacts
}

// AddressError is an address that was tried and why it failed.
type AddressError struct {
	Address string
	Err     error
}

// HTTP is what an HTTP response was. Where a redirect was followed and no answer came from there, it is
// the redirect's, which is then the last of Hops, too.
type HTTP struct {
	Status  int
	Version string // as on the wire: HTTP/1.1, HTTP/2.0
	// URL is the redacted URL that answered so.
	URL  string
	Hops []Hop
	// BodyHead is the masked beginning of the body, at most 1 KiB, kept for failures only.
	BodyHead string
	// LengthUnverified is true when the end of the body was the end of the connection, so that a cut
	// could not be told from the end.
	LengthUnverified bool
	// AfterResend is true when an earlier attempt of the run was unanswered, so that the request may
	// have been processed before.
	AfterResend bool
	// ContentLength is the announced length, -1 when unknown; BodyBytes is what was read.
	ContentLength, BodyBytes int64
	// LastModified is zero when the response does not say.
	LastModified time.Time
}

// Hop is one redirect that was followed: what redirected, and how it answered.
type Hop struct {
	URL           string // redacted
	Status        int
	RemoteAddress string
	Proxy         string // as Attempt.Proxy
}

// TLSFacts is what a TLS handshake showed, also when the certificate was refused.
type TLSFacts struct {
	Version, Cipher string
	// EarliestExpiry is the first NotAfter of the certificates that the peer sent; zero when none came.
	EarliestExpiry time.Time
	// LastChainExpiry is the latest of the verified chains' earliest expiries; zero when none verified.
	LastChainExpiry time.Time
	// Chain is what the certificates that the peer sent say of themselves, its own first, at most eight.
	// It is nil where nobody asked for it, as in sonde run.
	Chain []Certificate
}

// outcome is what the engine needs to know of an attempt.
func (a *Attempt) outcome() retry.Outcome {
	return retry.Outcome{
		OK: a.OK, Transient: a.Transient, Evidence: a.Evidence, Stale: a.Stale, Repeatable: a.Repeatable,
		NotReplayable: a.NotReplayable, Asked: a.Asked, HasAsked: a.HasAsked,
	}
}

// settle holds a prober to the rules that sinks rely on: an attempt that passed has no reason, and one
// that failed has a reason of the closed set, and an error. A prober that breaks them is a bug of ours.
func (a *Attempt) settle() {
	if a.OK {
		a.Reason, a.Err, a.Limit = "", nil, ""
		return
	}
	if !a.Reason.Known() {
		a.Err = fmt.Errorf("the prober gave the reason %q, want one of the table: %w", a.Reason, cmp.Or(a.Err, errNoError))
		a.Reason, a.Transient = ReasonInternal, ReasonInternal.Transient()
	}
	a.Err = cmp.Or(a.Err, errNoError)
}

var errNoError = errors.New("the prober gave no error")

// measure sets Duration: the sum of the phases, or, when the prober measured none, what Run measured,
// all of it in the phase in which the attempt ended.
func (a *Attempt) measure(took time.Duration) {
	a.Duration = 0
	for _, d := range a.Phases {
		a.Duration += d
	}
	if a.Duration == 0 {
		a.Duration, a.Phases[a.Phase] = took, took
	}
}

// Idempotent reports whether sending a request of this HTTP method twice does what sending it once does
// (RFC 9110, section 9.2.2, and RFC 10008 for QUERY).
func Idempotent(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY":
		return true
	}
	return false
}
