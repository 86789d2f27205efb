// Package plan reckons what probes will do before any of them runs: the requests that they and their
// hosts see a minute, how long a run lasts at its worst, how many series they make and what memory they
// take. It reads definitions and does nothing: no clock, no chance, no file.
package plan

import (
	"cmp"
	"slices"

	"sonde/probe"
	"sonde/probe/retry"
)

// Plan is what a set of probes will do.
type Plan struct {
	// Probes are in the order of the set.
	Probes []Probe
	// Hosts are sorted by their requests at worst, the most first, then by name.
	Hosts []Host
	// Requests is the sum over the hosts.
	Requests Requests
	// Series is the sum over the probes.
	Series Series
	// Memory is what the probes keep on the heap, in bytes; see ProbeBytes.
	Memory int64
}

// Probe is what one probe will do.
type Probe struct {
	Probe *probe.Probe
	// Rate is what the probe sends by itself; Requests has the budget of its host in it.
	Rate     probe.Rate
	Requests Requests
	Worst    Timeline
	Series   Series
}

// Overruns reports whether a run may last until after the next one is due, which is then skipped.
func (p *Probe) Overruns() bool {
	return p.Worst.Unbounded || p.Worst.Duration > p.Probe.Interval
}

// Host is what the probes of one host will do to it.
type Host struct {
	// Name is host:port, as probe.Probe.Host has it, and Shown the same without what was filled in.
	Name     string
	Shown    string
	Probes   int
	Requests Requests
	// Budget bounds the retries to the host; the zero value is no bound.
	Budget retry.Budget
	// Bound is true when the budget is what keeps Requests.Worst from being greater.
	Bound bool
}

// Requests are requests a minute, as probe.Rate has them, with budgets applied to the worst.
type Requests struct{ Well, Worst float64 }

// Series is how many time series there are in Prometheus.
type Series struct {
	// Steady is at most how many there are while no run fails.
	Steady int
	// EachReason is how many more there are for each reason for which a probe fails.
	EachReason int
}

// ProbeBytes is what a probe in a running sonde keeps on the heap: its definition, prober, place in the
// schedule, numbers and row on the page, after runs that passed and runs that failed. A test of
// cmd/sonde measures it. A connection that is kept between runs comes on top of it, and so does
// garbage until it is collected: sonde run gives it about 48 MiB of room, but never less than 40 % of what is
// kept, as with 120 MiB and more, nor over four times as much, as with less than 12 MiB.
const ProbeBytes = 3 << 10

// Of reckons the plan of a set of probes. series tells how many series a probe has.
func Of(probes []*probe.Probe, series func(*probe.Probe) Series) *Plan {
	p := &Plan{Probes: make([]Probe, len(probes)), Memory: int64(len(probes)) * ProbeBytes}
	hosts := map[string]*load{}
	for i, one := range probes {
		r := one.Rate()
		p.Probes[i] = Probe{Probe: one, Rate: r, Worst: worst(one), Series: series(one)}
		p.Series.Steady += p.Probes[i].Series.Steady
		p.Series.EachReason += p.Probes[i].Series.EachReason
		at := hosts[one.Host]
		if at == nil {
			at = &load{shown: one.Secrets.Text(one.Host)}
			hosts[one.Host] = at
		}
		at.probes++
		at.Add(r, one.Policy.Budget)
	}
	p.bound(hosts)
	return p
}

// load gathers what the probes of a host do to it.
type load struct {
	probe.HostRate
	shown  string
	probes int
}

// bound applies the budgets, and lists the hosts.
func (p *Plan) bound(hosts map[string]*load) {
	for i := range p.Probes {
		one := &p.Probes[i]
		one.Requests = Requests{Well: one.Rate.Well, Worst: hosts[one.Probe.Host].Share(one.Rate, one.Probe.Policy.Budget)}
	}
	for name, l := range hosts {
		h := Host{Name: name, Shown: l.shown, Probes: l.probes, Budget: l.Budget, Requests: Requests{Well: l.Well}}
		h.Requests.Worst, h.Bound = l.Bounded()
		p.Hosts = append(p.Hosts, h)
	}
	slices.SortFunc(p.Hosts, func(a, b Host) int {
		return cmp.Or(cmp.Compare(b.Requests.Worst, a.Requests.Worst), cmp.Compare(a.Name, b.Name))
	})
	for _, h := range p.Hosts {
		p.Requests.Well += h.Requests.Well
		p.Requests.Worst += h.Requests.Worst
	}
}
