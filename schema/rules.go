package schema

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"sonde/probe"
)

// mostFine bounds how many common values are remembered as fine.
const mostFine = 10_000

// commonShape is shape of common values. Most probes have the same as many others, and what has no fault
// once has none again.
func (r *rules) commonShape(at place, c *common) bool {
	w := canon{layouts: r.walk.layouts, buf: r.buf[:0]}
	w.value(reflect.ValueOf(c).Elem())
	r.buf = w.buf
	if r.fine[string(w.buf)] {
		return true
	}
	if r.tags.Struct(c) != nil {
		return r.shape(at, c, true)
	}
	if len(r.fine) < mostFine {
		r.fine[string(w.buf)] = true
	}
	return true
}

// words judges the words of the common values that a mapping itself holds: labels and reasons.
func (r *rules) words(at place, c *common) bool {
	fine := true
	if labels := at.find("labels"); labels.exists() && labels.isMap() {
		for _, e := range labels.entries() {
			fine = r.label(e) && fine
		}
	}
	return r.reasons(at, c) && fine
}

// legalLabel is what Prometheus allows as the name of a label.
var legalLabel = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

// reservedLabels are those that the metrics or Prometheus itself use.
var reservedLabels = []string{
	"cause", "group", "instance", "interval", "job", "kind", "le", "name", "phase", "probe", "quantile", "reason",
	"source", "stop", "target", "verdict", "version",
}

// label judges one of the user's labels.
func (r *rules) label(e entry) bool {
	switch {
	case !legalLabel.MatchString(e.name):
		return r.walk.problem(e.key, RuleLabel, "is not the name of a label, want letters, digits and _, not beginning with a digit"+legalisedLabel(e.name))
	case strings.HasPrefix(e.name, "__"):
		return r.walk.problem(e.key, RuleLabel, "begins with __, which Prometheus keeps for itself; want another name")
	case slices.Contains(reservedLabels, e.name):
		return r.walk.problem(e.key, RuleLabel, "is a label that the metrics have already; want another name than "+strings.Join(reservedLabels, ", "))
	}
	return true
}

func legalisedLabel(name string) string {
	s := regexp.MustCompile(`[^a-zA-Z0-9_]+`).ReplaceAllString(name, "_")
	if !legalLabel.MatchString(s) || len(s) > 64 || strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
		return ""
	}
	return "; " + s + " would do"
}

// reasons sees that no reason is declared both transient and permanent in one place. Where a probe
// says the one and defaults the other, the probe wins.
func (r *rules) reasons(at place, c *common) bool {
	transient, permanent := at.find("retry", "transient"), at.find("retry", "permanent")
	if !transient.exists() || !permanent.exists() || !permanent.isList() {
		return true
	}
	fine := true
	for i, name := range c.Retry.Permanent {
		if slices.Contains(c.Retry.Transient, name) && name != "" {
			fine = r.walk.problem(permanent.element(i), RuleBothReasons, fmt.Sprintf("is %s, which stands under transient, too; want it in one of them", name))
		}
	}
	return fine
}

// overrides is the reasons whose default the file changes; nil when there are none. A list of a
// stronger layer wins.
func (d *definition) overrides() map[probe.Reason]bool {
	c := &d.common.Retry
	if len(c.Transient)+len(c.Permanent) == 0 {
		return nil
	}
	m := map[probe.Reason]bool{}
	set := func(list []reason, transient bool) {
		for _, name := range list {
			m[probe.Reason(name)] = transient
		}
	}
	set(c.Transient, true)
	set(c.Permanent, false)
	if permanent := d.declared("retry", "permanent"); permanent.exists() && d.beats(permanent, "retry", "transient") {
		set(c.Transient, true)
	}
	return m
}

// reasonsThatHold are the lists of transient and permanent reasons, each without what the other beats.
func (d *definition) reasonsThatHold() (transient, permanent []reason) {
	holds := d.overrides()
	beaten := func(list []reason, as bool) []reason {
		return slices.DeleteFunc(slices.Clone(list), func(r reason) bool { return holds[probe.Reason(r)] != as })
	}
	return beaten(d.common.Retry.Transient, true), beaten(d.common.Retry.Permanent, false)
}

// hostBudget is the retry budget of a host and the probe that declared it first.
type hostBudget struct {
	budget budget
	path   string
	at     pos
}

// oneBudget sees that all enabled probes of a host have the same budget: it is the host's. A kind without
// hosts has none to share.
func (d *definition) oneBudget(host string) bool {
	if host == "" {
		return true
	}
	mine := d.common.Retry.Budget
	if !mine.set {
		mine = budget{}
	}
	first, ok := d.budgets[host]
	if !ok {
		d.budgets[host] = hostBudget{mine, d.at.path.String(), d.at.pos()}
		return true
	}
	if mine == first.budget {
		return true
	}
	at := d.at.find("retry", "budget")
	if !at.exists() {
		at = place{d.at.node, &path{parent: d.at.path, key: "retry.budget", raw: true}, d.at.via, d.document}
	}
	host = d.filled.secrets.Text(host)
	return d.walk.problem(at, RuleBudget, fmt.Sprintf("is %s, but %s at %s has %s for the same host %s; want one budget for all probes of a host, best under defaults",
		mine, first.path, first.at, first.budget, host))
}

// String is the budget as a file has it.
func (b budget) String() string {
	if !b.set {
		return "none"
	}
	return fmt.Sprintf("{ratio: %g, floor_per_second: %g, burst: %g}", b.Ratio, b.FloorPerSecond, b.Burst)
}
