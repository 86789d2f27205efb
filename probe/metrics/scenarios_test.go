package metrics

import (
	"slices"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

func scenarios() []scenario {
	return slices.Concat(passingScenarios(), failingScenarios(), unknownScenarios(), resendScenarios())
}

func passingScenarios() []scenario {
	return []scenario{
		{name: "up", runs: 3, probe: plays(passed(2 * time.Second))},
		{name: "flaky", probe: plays(failed(probe.ReasonConnectRefused, time.Second), failed(probe.ReasonDNSTimeout, time.Second), passed(2*time.Second))},
		{name: "a fault of ours before the pass leaves it up", probe: plays(failed(probe.ReasonLocalResource, time.Second), passed(time.Second))},
		{name: "the wait was asked for", probe: plays(asksToWait(7*time.Second), passed(time.Second))},
	}
}

func failingScenarios() []scenario {
	return []scenario{
		{name: "down after all attempts", probe: plays(failed(probe.ReasonConnectRefused, time.Second))},
		{name: "down for good at once", runs: 2, probe: plays(failed(probe.ReasonAssertion, time.Second))},
		{name: "two reasons and two stops", runs: 2, probe: plays(failed(probe.ReasonAssertion, time.Second), unsafelySent(probe.ReasonBodyTruncated, time.Second), failed(probe.ReasonAssertion, time.Second))},
		{name: "the deadline cuts an attempt", probe: with(plays(failed(probe.ReasonDisconnected, time.Second), passed(time.Minute)), func(p *retry.Policy) { p.Deadline = 10 * time.Second })},
		{name: "the deadline leaves no room for a wait", probe: with(plays(failed(probe.ReasonDisconnected, time.Second)), func(p *retry.Policy) { p.Deadline = 2 * time.Second })},
		{name: "the budget is used up", runs: 2, probe: with(plays(failed(probe.ReasonDisconnected, time.Second)), func(p *retry.Policy) { p.Budget = retry.Budget{Ratio: 0.1, Burst: 1} })},
	}
}

func unknownScenarios() []scenario {
	return []scenario{
		{name: "canceled within an attempt", cancel: 5 * time.Second, probe: plays(failed(probe.ReasonDisconnected, time.Second), passed(time.Minute))},
		{name: "canceled within a wait", cancel: 1500 * time.Millisecond, probe: plays(failed(probe.ReasonDisconnected, time.Second))},
		{name: "a fault of ours", probe: plays(failed(probe.ReasonConfig, time.Second))},
		{name: "a panic", probe: panicking()},
		{name: "the batch ended before the run began", expired: true, probe: plays(passed(time.Second))},
		{name: "an unknown run leaves what the last known one said", runs: 2, probe: plays(passed(3*time.Second), failed(probe.ReasonConfig, time.Second))},
		{name: "a reason that is in no table", probe: plays(failed("made_up", time.Second))},
	}
}

func resendScenarios() []scenario {
	return []scenario{
		{name: "a transparent resend passes", probe: plays(stale(time.Second), passed(time.Second))},
		{name: "a transparent resend fails", probe: plays(stale(time.Second), failed(probe.ReasonConnectRefused, time.Second), passed(time.Second))},
		{name: "an ambiguous resend", probe: plays(unsafelySent(probe.ReasonDisconnected, time.Second), passed(time.Second))},
	}
}
