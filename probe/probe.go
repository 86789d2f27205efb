package probe

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"time"

	"sonde/probe/retry"
)

// Probe is one declared check, ready to run. Nothing changes it after it was built but LetGo; any number of
// goroutines may read it.
type Probe struct {
	// Name is unique in a set.
	Name        string
	Group       string
	Description string
	// Kind is the name of the way to probe, such as http.
	Kind string
	// Target is what the probe is aimed at, redacted: no userinfo, no secret.
	Target string
	// Host names the retry budget that the probe shares with its host's other probes. It may hold a
	// secret: who shows it shows Secrets.Text of it.
	Host string
	// Labels are the user's, sorted by name.
	Labels []Label
	// Metrics says which series the probe has.
	Metrics  Metrics
	Interval time.Duration
	Policy   retry.Policy
	// Replication is how many shards run the probe where several processes have divided the probes of
	// their files; 0 counts as 1.
	Replication int
	// Limits are the time limits of each attempt, for those who reckon how long a run may last.
	Limits Limits
	// Transient overrides, by reason, whether another attempt is worth it; nil overrides nothing.
	Transient map[Reason]bool
	Prober    Prober
	// Secrets are the values that were filled in from the environment or from files. Run masks them in
	// all that sinks are told of an attempt.
	Secrets Secrets
	// Digest is the same for two probes exactly when nothing that a file can say differs between them. It is
	// bytes to compare, and no text.
	Digest string
	// Source is where the probe is declared, file:line.
	Source string
}

// Close lets go of what the prober holds. It is called once, by whoever has a probe that will not run, or not
// again: its last run has ended. Its error has no reader.
func (p *Probe) Close() {
	if c, ok := p.Prober.(io.Closer); ok {
		c.Close()
	}
}

// LetGo closes a probe that another process runs, and leaves its prober to the collector. Whoever has read the
// set may call it before anything else knows the probe, which cannot run afterwards. A second call does nothing.
func (p *Probe) LetGo() {
	p.Close()
	p.Prober = nil
}

// Label is a name and a value.
type Label struct{ Name, Value string }

// Prober makes attempts of one kind at one target. It must be safe for concurrent use. One that holds
// something may be an io.Closer: Probe.Close closes it when its probe has left the running set and its last
// run has ended. It may be a Rester, an Asker or a Securer, too.
type Prober interface {
	// Probe makes one attempt. It returns soon after ctx has ended, and then says reason deadline or
	// canceled, as context.Cause(ctx) tells: retry.ErrDeadline, retry.ErrBatchDeadline, or anything
	// else. It never waits between tries and never retries.
	Probe(ctx context.Context, t Try) Attempt
}

// Rester is a Prober that keeps something between the attempts of a run, such as a connection.
type Rester interface {
	// Rest is called when a run has ended: what is not worth keeping until the next one may go.
	Rest()
}

// Asker is a Prober whose attempts may say that the other side asked for a wait (Attempt.Asked). Who
// reckons how long a run may last must know.
type Asker interface {
	// Asks reports whether they may.
	Asks() bool
}

// Securer is a Prober that knows whether its attempts speak TLS with the target. Of others it is taken that
// they may. Who reckons series must know.
type Securer interface {
	// Secures reports whether they do; a redirect may lead an attempt elsewhere all the same.
	Secures() bool
}

// Try is what a prober needs to know of the attempt that it is asked to make.
type Try struct {
	// Number counts charged attempts from 1.
	Number int
	// Key is the same on every attempt of one run and differs from every other run's.
	Key Key
	// Fresh forbids a kept connection.
	Fresh bool
}

// Key is a random UUID (RFC 9562, version 4).
type Key [16]byte

// NewKey draws a key.
func NewKey() Key {
	var k Key
	rand.Read(k[:])
	k[6] = k[6]&0x0f | 0x40
	k[8] = k[8]&0x3f | 0x80
	return k
}

// String is the key in the usual form.
func (k Key) String() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", k[:4], k[4:6], k[6:8], k[8:10], k[10:])
}

// Sink takes what came of runs. Its methods are called from many goroutines, but for one probe never
// two at a time. What they are given is theirs to read, not to change.
type Sink interface {
	// Declare tells of a probe that has joined the running set, or replaced one of the same name. A run
	// of the replaced one may still be going; its attempts and result follow, with the old *Probe.
	Declare(p *Probe)
	// AttemptDone tells of an attempt that has ended, and of the wait planned after it. The attempt may
	// be read until the call returns; what is to be kept is in the result, where Waited is known too.
	AttemptDone(p *Probe, a *Attempt)
	// RunDone tells of a run that has ended. No AttemptDone of that run comes after it.
	RunDone(r *Result)
	// Forget tells that a probe has left the running set. Nothing of it comes after.
	Forget(p *Probe)
}

// Sinks is a Sink that hands on to each of its members in turn.
type Sinks []Sink

// Declare hands on.
func (s Sinks) Declare(p *Probe) {
	for _, sink := range s {
		sink.Declare(p)
	}
}

// AttemptDone hands on.
func (s Sinks) AttemptDone(p *Probe, a *Attempt) {
	for _, sink := range s {
		sink.AttemptDone(p, a)
	}
}

// RunDone hands on.
func (s Sinks) RunDone(r *Result) {
	for _, sink := range s {
		sink.RunDone(r)
	}
}

// Forget hands on.
func (s Sinks) Forget(p *Probe) {
	for _, sink := range s {
		sink.Forget(p)
	}
}
