package probe

import (
	"time"

	"sonde/probe/retry"
)

// Kind is a way to probe, such as http. Package kinds has them; the program gives them to schema.
type Kind struct {
	// Name is the key of the kind's block in the file.
	Name string
	// New returns a pointer to a settings struct that holds the kind's defaults. The struct's fields
	// bear yaml and validate tags; value.go says how their types are read. It is called by several
	// goroutines at a time.
	New func() Settings
}

// Settings is a kind's block of the file. The methods of one are called from one goroutine, and all but Check only
// after the block was decoded into it without a problem.
type Settings interface {
	// Check reports what the fields owe each other, or owe the probe's common values. Place is relative
	// to the block, as in "tls.key_file" or "expect.body.matches[1]". It is also called when
	// part of the block could not be read: what was not keeps its default, or its zero value within a list
	// or mapping, and of what Check says is reported only what has nothing to do with it.
	Check(env Env) []Fault
	// Target is what the probe is aimed at, redacted but for what was filled in, and of any length: whoever
	// shows it masks that first, and cuts it then.
	Target() string
	// Host names the host whose retry budget the probe shares, as host:port.
	Host() string
	// Prober makes the prober. It reads the files that the block names; what cannot be used is a *Fault.
	Prober(env Env) (Prober, error)
}

// Filer is Settings that name files which Prober reads. A change of their content makes a probe another
// one: they are watched, and count in Probe.Digest.
type Filer interface {
	// Files are the names as they stand in the block, without empty ones; relative ones start at Env.Dir.
	Files() []string
}

// SilenceRetrier is Settings that know when a target that says nothing more, once it is connected, is not
// tried again. Of other kinds it is taken that it may be silent, and is tried again then.
type SilenceRetrier interface {
	// RetriesSilence is true when an attempt can meet such silence, and the policy allows another then.
	RetriesSilence(env Env) bool
}

// Keeper is Settings that know whether a connection is kept for the next attempt or run. Of other kinds it is
// taken that one is, when the probe does not say otherwise.
type Keeper interface {
	// KeepsConnections is false when each attempt makes a connection of its own, whatever the probe says.
	KeepsConnections() bool
}

// Sharer is Settings that know whether probes of one host may share one connection at a time, as over HTTP/2. Of
// other kinds it is taken that each wants one of its own.
type Sharer interface {
	// SharesConnections is true when they may.
	SharesConnections() bool
}

// Env is what a kind needs to know of a probe beside its own block.
type Env struct {
	// Probe is the probe's name and Interval its interval: with NextDue they say when it runs next.
	Probe    string
	Interval time.Duration
	// Dir is the folder of the file that declares the probe; relative paths start there.
	Dir        string
	Limits     Limits
	Connection Connection
	// Secrets are the values of the block that were filled in from the environment or from files. A kind
	// masks them where it cuts what a target sent; in texts that are whole, Probe.Run does. Its faults and
	// its Target are masked by schema.
	Secrets Secrets
	// Filled are the same values, with where each came from, for a Curler.
	Filled []Filled
	// Policy is what follows a failed attempt, and Transient which reasons are worth another one against
	// their default. A kind may warn of what they make of the block; it obeys none of them.
	Policy    retry.Policy
	Transient map[Reason]bool
}

// Connection says how connections are kept.
type Connection struct {
	// Reuse keeps connections between attempts and runs; without it each attempt is on a fresh one.
	Reuse bool
	// IdleTimeout is how long an idle connection is kept, MaxAge how old one may grow; 0 is no bound.
	IdleTimeout, MaxAge time.Duration
	// DNSCache keeps the addresses of names for as long as DNS says that they hold, and 5 minutes at most.
	// Without it each new connection looks its name up.
	DNSCache bool
	// PerHost bounds the connections to one host, 0 is no bound. Where those who use a host differ, see
	// package conn.
	PerHost int
}

// Fault is something wrong with a kind's block.
type Fault struct {
	// Place is relative to the block; empty is the block itself.
	Place string
	// Text says what is wrong and what is wanted, without the place: `is "x", want …`.
	Text string
	// Warning is true when the file works all the same.
	Warning bool
	// Rule is the name of the rule that is broken, one of schema's; empty is "settings".
	Rule string
}

// Error is the place and the text.
func (f *Fault) Error() string {
	if f.Place == "" {
		return f.Text
	}
	return f.Place + " " + f.Text
}
