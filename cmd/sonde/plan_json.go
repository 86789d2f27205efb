package main

import (
	"sonde/probe/plan"
)

// The types of this file are what plan --output json prints, and diff of each side. The names of their
// fields are a promise, and all fields are always there.

type planJSON struct {
	Shard  *partJSON     `json:"shard"`
	Probes []plannedJSON `json:"probes"`
	Hosts  []hostJSON    `json:"hosts"`
	Total  totalJSON     `json:"total"`
}

// partJSON is the shard whose part the plan is; null when it is that of all probes.
type partJSON struct {
	Index    int `json:"index"`
	Count    int `json:"count"`
	Declared int `json:"declared_probes"`
}

type requestsJSON struct {
	Well  float64 `json:"well"`
	Worst float64 `json:"worst"`
}

type seriesJSON struct {
	Steady     int `json:"steady"`
	EachReason int `json:"each_reason"`
}

type plannedJSON struct {
	Probe    string       `json:"probe"`
	Kind     string       `json:"kind"`
	Target   string       `json:"target"`
	Host     string       `json:"host"`
	Source   string       `json:"source"`
	Interval float64      `json:"interval_seconds"`
	Requests requestsJSON `json:"requests_per_minute"`
	PerRun   int          `json:"requests_per_run"`
	Longest  worstJSON    `json:"longest_run"`
	Series   seriesJSON   `json:"series"`
}

// worstJSON is the longest run; its duration is null when it has no end.
type worstJSON struct {
	Duration *float64   `json:"duration_seconds"`
	Overruns bool       `json:"overruns"`
	Stop     string     `json:"stop"`
	Steps    []stepJSON `json:"steps"`
}

// stepJSON is a step of it: an attempt, a resend or a wait; its duration is null when it has no end.
type stepJSON struct {
	Step     string   `json:"step"`
	Number   int      `json:"number"`
	Start    float64  `json:"start_seconds"`
	Duration *float64 `json:"duration_seconds"`
	Cut      bool     `json:"cut"`
	Source   string   `json:"wait_source"`
}

type hostJSON struct {
	Host     string       `json:"host"`
	Probes   int          `json:"probes"`
	Requests requestsJSON `json:"requests_per_minute"`
	Bound    bool         `json:"bound_by_budget"`
	Burst    float64      `json:"budget_burst"`
}

type totalJSON struct {
	Probes   int          `json:"probes"`
	Requests requestsJSON `json:"requests_per_minute"`
	Series   seriesJSON   `json:"series"`
	Memory   int64        `json:"memory_bytes"`
}

func planToJSON(d *divided, p *plan.Plan, shown []plan.Probe) planJSON {
	j := planJSON{Probes: make([]plannedJSON, len(shown)), Hosts: make([]hostJSON, len(p.Hosts)), Total: totalToJSON(p)}
	if d.Divided() {
		j.Shard = &partJSON{Index: d.Index, Count: d.Count, Declared: len(d.own) + len(d.others)}
	}
	for i := range shown {
		j.Probes[i] = plannedToJSON(&shown[i])
	}
	for i, h := range p.Hosts {
		j.Hosts[i] = hostJSON{Host: h.Shown, Probes: h.Probes, Requests: requestsJSON(h.Requests), Bound: h.Bound, Burst: h.Budget.Burst}
	}
	return j
}

func totalToJSON(p *plan.Plan) totalJSON {
	return totalJSON{Probes: len(p.Probes), Requests: requestsJSON(p.Requests), Series: seriesJSON(p.Series), Memory: p.Memory}
}

func plannedToJSON(p *plan.Probe) plannedJSON {
	return plannedJSON{
		Probe: p.Probe.Name, Kind: p.Probe.Kind, Target: p.Probe.Target, Host: p.Probe.Secrets.Text(p.Probe.Host), Source: p.Probe.Source,
		Interval: p.Probe.Interval.Seconds(), Requests: requestsJSON(p.Requests), PerRun: p.Rate.PerRun,
		Longest: worstToJSON(p), Series: seriesJSON(p.Series),
	}
}

func worstToJSON(p *plan.Probe) worstJSON {
	t := &p.Worst
	j := worstJSON{Duration: bounded(t.Duration.Seconds(), t.Unbounded), Overruns: p.Overruns(), Stop: string(t.Stop), Steps: make([]stepJSON, len(t.Steps))}
	for i, s := range t.Steps {
		j.Steps[i] = stepJSON{
			Step: string(s.Kind), Number: s.Number, Start: s.Start.Seconds(),
			Duration: bounded(s.Duration.Seconds(), s.Unbounded), Cut: s.Cut, Source: string(s.Source),
		}
	}
	return j
}

// bounded is a number, and null of what has no bound.
func bounded(seconds float64, unbounded bool) *float64 {
	if unbounded {
		return nil
	}
	return &seconds
}
