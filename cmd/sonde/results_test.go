package main

import (
	"errors"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// morning is when the results of these tests began.
var morning = time.Date(2026, 11, 30, 10, 0, 0, 1, time.UTC)

func aProbe(name string, attempts int) *probe.Probe {
	return &probe.Probe{
		Name: name, Group: "shop", Kind: "http", Target: "https://api.example.com/" + name,
		Interval: time.Minute, Policy: retry.Policy{Attempts: attempts},
	}
}

// errHostile is an error text as a target would like to have it printed.
var errHostile = errors.New("status 503\x1b[2J\nsecond line\u009b31m, want \"201\" & <b>")

// someResults is one result of each verdict, in the order of a file.
func someResults() []*probe.Result {
	return []*probe.Result{upResult(), flakyResult(), unknownResult(), downResult()}
}

func upResult() *probe.Result {
	return &probe.Result{
		Probe: aProbe("home", 4), Verdict: probe.Up, Stop: retry.StopSuccess, Started: morning, Duration: 120 * time.Millisecond,
		Attempts: []probe.Attempt{{Number: 1, Started: morning, Duration: 120 * time.Millisecond, OK: true, Evidence: probe.Answered}},
	}
}

func flakyResult() *probe.Result {
	p := aProbe("orders-create", 3)
	p.Labels = []probe.Label{{Name: "team", Value: "checkout"}}
	first := probe.Attempt{
		Number: 1, Started: morning, Duration: 11 * time.Millisecond, Reason: probe.ReasonStatus, Transient: true,
		Evidence: probe.Answered, Err: errHostile, Phase: probe.PhaseTransfer, Wait: 720 * time.Millisecond,
		WaitSource: retry.FromBackoff, RemoteAddress: "203.0.113.7:443", Method: "POST",
		Addresses: []probe.AddressError{{Address: "[2001:db8::7]:443", Err: errors.New("connection refused")}},
		Phases:    [probe.NumPhases]time.Duration{0, 1e6, 2e6, 4e6, 0, 3e6, 1e6},
		HTTP: &probe.HTTP{
			Status: 503, Version: "HTTP/2.0", URL: "https://api.example.com/b", BodyHead: "busy\u009b",
			Hops: []probe.Hop{{URL: "https://api.example.com/a", Status: 307, RemoteAddress: "203.0.113.7:443"}},
		},
	}
	second := probe.Attempt{
		Number: 2, Started: morning.Add(731 * time.Millisecond), Duration: 81 * time.Millisecond, OK: true,
		Evidence: probe.Answered, Reused: true, Phases: [probe.NumPhases]time.Duration{0, 0, 0, 0, 0, 81e6, 0},
	}
	return &probe.Result{
		Probe: p, Verdict: probe.Flaky, Stop: retry.StopSuccess, Started: morning, Duration: 812 * time.Millisecond,
		Attempts: []probe.Attempt{first, second},
	}
}

func unknownResult() *probe.Result {
	p := aProbe("never-began", 4)
	return &probe.Result{
		Probe: p, Verdict: probe.Unknown, Reason: probe.ReasonDeadline, Stop: retry.StopBatchDeadline, Started: morning,
		Err: &probe.RunError{Probe: p.Name, Target: p.Target, Stop: retry.StopBatchDeadline, Err: retry.ErrBatchDeadline},
	}
}

func downResult() *probe.Result {
	p := aProbe("db", 2)
	p.Kind, p.Target, p.Group = "tcp", "db.internal:5432", ""
	refused := errors.New("connecting 203.0.113.9:5432: connection refused")
	attempt := probe.Attempt{
		Number: 1, Started: morning, Duration: 2 * time.Millisecond, Reason: probe.ReasonConnectRefused, Transient: true,
		Evidence: probe.NeverSent, Err: refused, Phase: probe.PhaseConnect, Wait: 500 * time.Millisecond, WaitSource: retry.FromBackoff,
	}
	last := attempt
	last.Number, last.Wait, last.WaitSource = 2, 0, ""
	return &probe.Result{
		Probe: p, Verdict: probe.Down, Reason: probe.ReasonConnectRefused, Stop: retry.StopAttempts, Started: morning,
		Duration: 8200 * time.Millisecond, Attempts: []probe.Attempt{attempt, last},
		Err: &probe.RunError{Probe: p.Name, Target: p.Target, Attempts: 2, Stop: retry.StopAttempts, Err: refused},
	}
}
