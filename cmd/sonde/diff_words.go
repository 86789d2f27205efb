package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sonde/probe/plan"
)

// This file says of a comparison what text and Markdown both need.

// quantity is a number that the change moves, on both sides.
type quantity struct{ name, old, new, change string }

// moved is true when the two sides differ.
func (q quantity) moved() bool { return q.old != q.new }

// totals are what the sets come to.
func (c *comparison) totals() []quantity {
	return []quantity{
		number("probes", float64(len(c.old.Probes)), float64(len(c.new.Probes))),
		number("requests a minute", c.old.Requests.Well, c.new.Requests.Well),
		number("at worst", c.old.Requests.Worst, c.new.Requests.Worst),
		longestOf(c.old, c.new),
		number("series", float64(c.old.Series.Steady), float64(c.new.Series.Steady)),
	}
}

// number is a quantity that is counted.
func number(name string, old, new float64) quantity {
	q := quantity{name: name, old: rate(old), new: rate(new)}
	if q.moved() {
		q.change = rate(new - old)
		if new > old {
			q.change = "+" + q.change
		}
	}
	return q
}

// longestOf is the longest run of all probes.
func longestOf(old, new *plan.Plan) quantity {
	q := quantity{name: "longest run", old: worstText(longestIn(old)), new: worstText(longestIn(new))}
	if q.moved() {
		q.change = "longer"
		if longerRun(longestIn(old), longestIn(new)) {
			q.change = "shorter"
		}
	}
	return q
}

func longestIn(p *plan.Plan) *plan.Timeline {
	longest := &plan.Timeline{}
	for i := range p.Probes {
		if t := &p.Probes[i].Worst; longerRun(t, longest) {
			longest = t
		}
	}
	return longest
}

// longerRun is true when a run of a may last longer than any of b.
func longerRun(a, b *plan.Timeline) bool {
	return !b.Unbounded && (a.Unbounded || a.Duration > b.Duration)
}

// quantities are what a change does to a probe; a side that is disabled makes no request.
func (p *pair) quantities() []quantity {
	none := &plan.Probe{}
	old, new := cmp.Or(p.old.plan, none), cmp.Or(p.new.plan, none)
	return []quantity{
		number("requests a minute", old.Requests.Well, new.Requests.Well),
		number("at worst", old.Requests.Worst, new.Requests.Worst),
		{name: "longest run", old: worstText(&old.Worst), new: worstText(&new.Worst)},
		number("series", float64(old.Series.Steady), float64(new.Series.Steady)),
	}
}

// hostChange is a host whose load differs.
type hostChange struct {
	name     string // as it is shown
	old, new plan.Requests
}

func (h *hostChange) well() quantity  { return number("requests a minute", h.old.Well, h.new.Well) }
func (h *hostChange) worst() quantity { return number("at worst", h.old.Worst, h.new.Worst) }

// hosts are the hosts whose load differs, by name.
func (c *comparison) hosts() []hostChange {
	loads, shown := map[string]*[2]plan.Requests{}, map[string]string{}
	for side, p := range []*plan.Plan{c.old, c.new} {
		for _, h := range p.Hosts {
			if loads[h.Name] == nil {
				loads[h.Name] = &[2]plan.Requests{}
			}
			loads[h.Name][side], shown[h.Name] = h.Requests, h.Shown
		}
	}
	var list []hostChange
	for name, l := range loads {
		h := hostChange{shown[name], l[0], l[1]}
		if h.well().moved() || h.worst().moved() {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b hostChange) int { return strings.Compare(a.name, b.name) })
	return list
}

// counts is "1 added, 2 changed, 7 unchanged"; what there is none of is left out.
func (c *comparison) counts() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{len(c.added), "added"}, {len(c.removed), "removed"}, {len(c.renamed), "renamed"}, {len(c.changed), "changed"}, {c.unchanged, "unchanged"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) == 0 {
		return "no probes on either side"
	}
	return strings.Join(parts, ", ")
}

// longestShown is how many characters of a value are shown.
const longestShown = 100

// shownValue is a value on a side, cleaned and cut; the remark tells secrets apart.
func shownValue(l *leaf) string {
	if l == nil {
		return "not set"
	}
	text := []rune(clean(l.text))
	if len(text) > longestShown {
		text = append(text[:longestShown-1], '…')
	}
	return string(text)
}

// remark is what the two texts do not say.
func (c *valueChange) remark() string {
	switch {
	case c.old == nil || c.new == nil:
		return ""
	case c.secret():
		return "another secret"
	case shownValue(c.old) == shownValue(c.new):
		return "they differ further on"
	}
	return ""
}

// what is a probe in a few words.
func (s *side) what() string {
	if s.plan == nil {
		return s.Kind + ", disabled"
	}
	return s.Kind + " " + clean(s.plan.Probe.Target)
}

// every is a probe's interval; empty when it is disabled.
func (s *side) every() string {
	if s.plan == nil {
		return ""
	}
	return exact(s.plan.Probe.Interval)
}
