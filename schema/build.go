package schema

import (
	"errors"
	"slices"
	"strings"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// build makes the probe, unless something about it is wrong, and adds it to the set.
func (d *definition) build() {
	if d.settings == nil {
		return
	}
	if !d.blockFine {
		d.checkRest()
		return
	}
	env := d.env()
	digest := d.digest(d.contents())
	if !d.faults(d.settings.Check(env)) || !d.fine {
		return
	}
	d.advise()
	prober, err := d.settings.Prober(env)
	d.lacks = len(d.walk.standIns) > 0
	if err != nil && d.excused(err) {
		prober, d.lacks = nil, true
	} else if err != nil {
		d.refused(err)
		return
	}
	p := d.assemble(prober, digest)
	d.set.definitions = append(d.set.definitions, d)
	if !d.common.Enabled {
		closeAll([]*probe.Probe{p})
		return
	}
	d.oneBudget(p.Host)
	d.oneBound(p.Host)
	d.made = p
	d.load(p)
	d.queue(p)
	d.set.Probes = append(d.set.Probes, p)
}

// maxTarget bounds, in bytes, what is shown of what a probe is aimed at.
const maxTarget = 2048

// assemble puts the probe together.
func (d *definition) assemble(prober probe.Prober, digest string) *probe.Probe {
	c := &d.common
	return &probe.Probe{
		Name: d.name, Group: c.Group, Description: c.Description, Kind: d.kind,
		Target: probe.Clip(d.filled.secrets.Text(d.settings.Target()), maxTarget), Host: d.settings.Host(), Labels: c.labels(), Metrics: c.Metrics.choice(),
		Interval: time.Duration(c.Interval), Replication: c.Replication, Policy: d.policy(), Limits: d.env().Limits, Transient: d.overrides(),
		Prober: prober, Digest: digest, Source: d.where(), Secrets: d.filled.secrets,
	}
}

// labels are sorted by name.
func (c *common) labels() []probe.Label {
	if len(c.Labels) == 0 {
		return nil
	}
	list := make([]probe.Label, 0, len(c.Labels))
	for name, value := range c.Labels {
		list = append(list, probe.Label{Name: name, Value: value})
	}
	slices.SortFunc(list, func(a, b probe.Label) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// policy is the retry policy as the engine takes it.
func (d *definition) policy() retry.Policy {
	r := &d.common.Retry
	return retry.Policy{
		Attempts: r.Attempts,
		Backoff: retry.Backoff{
			Kind: retry.BackoffKind(r.Backoff.Kind), Base: time.Duration(r.Backoff.Base), Cap: time.Duration(r.Backoff.Cap),
			Jitter: time.Duration(r.Backoff.Jitter), CapIncludesJitter: r.Backoff.CapIncludesJitter,
		},
		RetryAfter:  retry.RetryAfter{Max: time.Duration(r.RetryAfter.Max), Above: retry.Above(r.RetryAfter.Above)},
		Unsafe:      retry.Unsafe(r.Unsafe),
		Transparent: r.Transparent,
		Deadline:    d.common.deadline(),
		Budget:      r.Budget.policy(),
	}
}

// env is what the kind needs to know beside its own block.
func (d *definition) env() probe.Env {
	t, c := &d.common.Timeout, &d.common.Connection
	return probe.Env{
		Probe: d.name, Interval: time.Duration(d.common.Interval), Dir: d.dir, Secrets: d.filled.secrets, Filled: d.filled.origins,
		Limits: probe.Limits{
			Total: time.Duration(t.Total), Connect: time.Duration(t.Connect),
			SockConnect: time.Duration(t.SockConnect), SockRead: time.Duration(t.SockRead),
		},
		Connection: probe.Connection{
			Reuse: c.Reuse, IdleTimeout: time.Duration(c.IdleTimeout), MaxAge: time.Duration(c.MaxAge), DNSCache: c.DNSCache, PerHost: int(c.PerHost),
		},
		Policy: d.policy(), Transient: d.overrides(),
	}
}

// faults reports what the kind says of its block, and says whether it works all the same.
func (d *definition) faults(list []probe.Fault) bool {
	fine := true
	if len(list) == 0 {
		return true
	}
	index, hide := d.blockIndex(), d.filled.secrets
	for _, f := range list {
		at, rule := index.find(f.Place), ruleOf(f)
		if f.Warning {
			d.problems.warn(at.place, false, rule, hide.Text(f.Text))
		} else if !d.walk.standsIn(at.path) {
			fine = d.walk.problem(at.place, rule, hide.Text(f.Text))
		}
	}
	return fine
}

// ruleOf is the rule that a kind says is broken. A name that is in no table is not let into reports.
func ruleOf(f probe.Fault) string {
	if slices.ContainsFunc(ruleTable, func(r RuleInfo) bool { return r.Name == f.Rule }) {
		return f.Rule
	}
	return RuleSettings
}

// refused reports why there is no prober.
func (d *definition) refused(err error) {
	var f *probe.Fault
	if !errors.As(err, &f) {
		f = &probe.Fault{Text: "cannot be used: " + err.Error()}
	}
	d.faults([]probe.Fault{{Place: f.Place, Text: f.Text, Rule: f.Rule}})
}

// closeAll closes what probers hold of probes that will not run.
func closeAll(probes []*probe.Probe) {
	for _, p := range probes {
		p.Close()
	}
}
