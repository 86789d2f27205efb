package conn_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/retry"
)

// TestWhoseBound has one bound after the other, or two of them, be why an attempt gets no connection.
func TestWhoseBound(t *testing.T) {
	const lack = "probes hold 2 of the 2 file descriptors of the process's 64 that they may have, and this one needs 1 more: " +
		"raise the limit of open files (ulimit -n, LimitNOFILE=)"
	for _, row := range []struct {
		name    string
		options conn.Options
		perHost int
		to      int
		reason  probe.Reason
		words   string
	}{
		{"descriptors", spare(2), 0, 2, probe.ReasonLocalResource, lack},
		{"descriptors, of a host with connections", spare(2), 0, 0, probe.ReasonLocalResource, lack},
		{"per_host", spare(3), 1, 0, probe.ReasonPoolTimeout, "connection.per_host allows 1; raise it, or have the probes of this host take less time"},
		{"in all", conn.Options{MaxConnections: 2}, 0, 2, probe.ReasonPoolTimeout, "--probe.max-connections allows 2; raise it"},
		{"in all, descriptors too", conn.Options{MaxConnections: 2, Descriptors: spare(2).Descriptors}, 0, 2, probe.ReasonPoolTimeout, "--probe.max-connections allows 2; raise it"},
		{"in all, descriptors before", conn.Options{MaxConnections: 3, Descriptors: spare(2).Descriptors}, 0, 2, probe.ReasonLocalResource, lack},
		{"per_host, descriptors too", spare(2), 1, 0, probe.ReasonPoolTimeout, "connection.per_host allows 1; raise it, or have the probes of this host take less time"},
		{"per_host, but descriptors before", spare(2), 1, 2, probe.ReasonLocalResource, lack},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, row.options, func(w *world) {
				w.open(2, time.Minute)
				r := at(row.to)
				r.Connection.PerHost = row.perHost
				got := w.get(r)
				if got.Reason != row.reason || got.took != 5*time.Second || got.Limit != probe.LimitConnect || got.Phase != probe.PhaseQueue || got.Evidence != probe.NeverSent {
					t.Errorf("got %q, limit %q, in %v after %v", got.Reason, got.Limit, got.Phase, got.took)
				}
				if want := "limit connect (5s) passed while queued for a connection: " + row.words; got.Err.Error() != want {
					t.Errorf("got %v\nwant %s", got.Err, want)
				}
			})
		})
	}
}

// TestQueuedWithoutConnect has the limit total, or the run's end, be all that ends the wait for a descriptor.
func TestQueuedWithoutConnect(t *testing.T) {
	for _, row := range []struct {
		name   string
		limits probe.Limits
		policy retry.Policy
		took   time.Duration
		limit  probe.Limit
		stop   retry.Stop
	}{
		{"total", probe.Limits{Total: 7 * time.Second}, retry.Policy{Attempts: 1}, 7 * time.Second, probe.LimitTotal, retry.StopAttempts},
		{"the deadline", probe.Limits{}, retry.Policy{Attempts: 1, Deadline: 54 * time.Second}, 54 * time.Second, "", retry.StopDeadline},
		{"a long connect", probe.Limits{Connect: time.Hour}, retry.Policy{Attempts: 3, Deadline: 54 * time.Second}, 54 * time.Second, "", retry.StopDeadline},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, spare(1), func(w *world) {
				w.open(1, 2*time.Minute)
				p := probe.Probe{Policy: row.policy, Prober: asks{w, try{route: at(1), limits: row.limits}}}
				r := p.Run(w.t.Context(), &retry.Engine{}, probe.Sinks{})
				a := r.Last()
				if r.Verdict != probe.Unknown || r.Stop != row.stop || a.Reason != probe.ReasonLocalResource || a.Limit != row.limit || a.Duration != row.took {
					t.Errorf("got %s, %s, stop %s, limit %q after %v: %v", r.Verdict, a.Reason, r.Stop, a.Limit, a.Duration, a.Err)
				}
				if !strings.Contains(a.Err.Error(), " queued for a connection: probes hold 1 of the 1 file descriptors") {
					t.Errorf("got %v", a.Err)
				}
			})
		})
	}
}

// asks is a prober that makes one attempt.
type asks struct {
	w *world
	try
}

// Probe makes it.
func (a asks) Probe(ctx context.Context, _ probe.Try) probe.Attempt {
	a.ctx = ctx
	return a.w.try(a.try).Attempt
}

// TestTheQueueTookTheTime has a target be silent, in its answer or already when it is connected to, after the
// queue has taken a part of the attempt's time: a large one leaves too little to say anything of the target.
func TestTheQueueTookTheTime(t *testing.T) {
	const s = time.Second
	var mute *conn.Route // is not even connected to
	for _, row := range []struct {
		name   string
		to     *conn.Route
		queued time.Duration
		limits probe.Limits
		run    time.Duration
		reason probe.Reason
		phase  probe.Phase
		took   time.Duration
	}{
		{"total, and most of it is left", at(1), 2 * s, probe.Limits{Total: 6 * s}, 0, probe.ReasonLimitTotal, probe.PhaseWait, 6 * s},
		{"total, and little", at(1), 3 * s, probe.Limits{Total: 6 * s}, 0, probe.ReasonLocalResource, probe.PhaseWait, 6 * s},
		{"the deadline, and most of it is left", at(1), 3 * s, probe.Limits{}, 9 * s, probe.ReasonDeadline, probe.PhaseWait, 9 * s},
		{"the deadline, and little", at(1), 4 * s, probe.Limits{}, 9 * s, probe.ReasonLocalResource, probe.PhaseWait, 9 * s},
		{"sock_read has its time", at(1), 4 * s, standard, 0, probe.ReasonLimitSockRead, probe.PhaseWait, 14 * s},
		{"connect, and most of it is left", mute, s, probe.Limits{Connect: 5 * s}, 0, probe.ReasonLimitConnect, probe.PhaseConnect, 5 * s},
		{"connect, and little", mute, 4 * s, probe.Limits{Connect: 5 * s}, 0, probe.ReasonLocalResource, probe.PhaseConnect, 5 * s},
		{"sock_connect has its time", mute, 4 * s, probe.Limits{SockConnect: 5 * s}, 0, probe.ReasonLimitSockConnect, probe.PhaseConnect, 9 * s},
	} {
		t.Run(row.name, func(t *testing.T) {
			var w *world
			o := spare(1)
			o.Dial = func(ctx context.Context, network, to string) (net.Conn, error) {
				if to == at(2).Address {
					return nil, until(ctx, time.Hour)
				}
				return w.mem.Dial(ctx, network, to)
			}
			inBubble(t, o, func(world *world) {
				w = world
				w.script(at(1).Address, (&slow{d: time.Minute}).serve)
				w.open(1, row.queued)
				if row.to == mute {
					row.to = at(2)
				}
				p := probe.Probe{Policy: retry.Policy{Attempts: 1, Deadline: row.run}, Prober: asks{w, try{route: row.to, limits: row.limits}}}
				a := p.Run(w.t.Context(), &retry.Engine{}, probe.Sinks{}).Last()
				if a.Reason != row.reason || a.Phase != row.phase || a.Duration != row.took || a.Phases[probe.PhaseQueue] != row.queued {
					t.Errorf("got %q in %v after %v, %v in the queue: %v", a.Reason, a.Phase, a.Duration, a.Phases[probe.PhaseQueue], a.Err)
				}
				words := ", after " + row.queued.String() + " in the queue for a connection: probes hold 1 of the 1 file descriptors"
				if told := strings.Contains(a.Err.Error(), words); told != (row.reason == probe.ReasonLocalResource) {
					t.Errorf("got %v", a.Err)
				}
			})
		})
	}
}
