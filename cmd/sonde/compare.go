package main

import (
	"fmt"
	"hash/maphash"
	"strings"

	"sonde/probe"
	"sonde/probe/plan"
	"sonde/schema"
)

// comparison is what differs between two sets of probes. All lists are in the order of the files, the
// new ones where there is a choice.
type comparison struct {
	added, removed   []side
	renamed, changed []pair
	unchanged        int
	old, new         *plan.Plan
}

// side is a probe in one of the sets. A disabled probe has no plan.
type side struct {
	schema.Effective
	plan *plan.Probe
}

// pair is a probe in both sets.
type pair struct {
	old, new side
	values   []valueChange
}

// valueChange is a value that differs; on a side where it is not set it is nil.
type valueChange struct {
	path     string
	old, new *leaf
}

// leaf is a value on one line, as YAML. Two that hide something are the same only when their marks are.
type leaf struct {
	text string
	mark uint64
}

// secret is true of a change that the texts do not show.
func (c *valueChange) secret() bool { return c.old != nil && c.new != nil && c.old.text == c.new.text }

// same is true when nothing differs that a file can say.
func (c *comparison) same() bool {
	return len(c.added)+len(c.removed)+len(c.renamed)+len(c.changed) == 0
}

// compare compares two sets.
func compare(old, new *schema.Set) *comparison {
	c := &comparison{old: planOf(old.Probes), new: planOf(new.Probes)}
	before, after := sides(old, c.old), sides(new, c.new)
	byName := make(map[string]side, len(before))
	for _, s := range before {
		byName[s.Name] = s
	}
	for _, s := range after {
		was, ok := byName[s.Name]
		delete(byName, s.Name)
		switch {
		case !ok:
			c.added = append(c.added, s)
		case was.Sum == s.Sum:
			c.unchanged++
		default:
			c.changed = append(c.changed, pair{was, s, changes(was, s)})
		}
	}
	for _, s := range before {
		if _, gone := byName[s.Name]; gone {
			c.removed = append(c.removed, s)
		}
	}
	c.findRenamed()
	return c
}

// sides are the probes of a set, each with its plan.
func sides(set *schema.Set, p *plan.Plan) []side {
	plans := make(map[*probe.Probe]*plan.Probe, len(p.Probes))
	for i := range p.Probes {
		plans[p.Probes[i].Probe] = &p.Probes[i]
	}
	views := set.Effective()
	list := make([]side, len(views))
	for i, v := range views {
		list[i] = side{v, plans[v.Probe]}
	}
	return list
}

// findRenamed takes for renamed what was added and is a removed one in all but its name.
func (c *comparison) findRenamed() {
	gone := map[string][]side{}
	for _, s := range c.removed {
		key := s.content()
		gone[key] = append(gone[key], s)
	}
	taken := map[string]bool{}
	var added []side
	for _, s := range c.added {
		key := s.content()
		if len(gone[key]) == 0 {
			added = append(added, s)
			continue
		}
		was := gone[key][0]
		gone[key] = gone[key][1:]
		taken[was.Name] = true
		c.renamed = append(c.renamed, pair{old: was, new: s})
	}
	var removed []side
	for _, s := range c.removed {
		if !taken[s.Name] {
			removed = append(removed, s)
		}
	}
	c.added, c.removed = added, removed
}

// content is all values but the name, in a form that can be compared.
func (s *side) content() string {
	var b strings.Builder
	paths, leaves := s.leaves()
	for _, path := range paths {
		if path != "name" {
			fmt.Fprintf(&b, "%q %q %d\n", path, leaves[path].text, leaves[path].mark)
		}
	}
	return b.String()
}

// changes are the values that differ: in the order of the new probe, then those that it no longer has.
func changes(old, new side) []valueChange {
	paths, after := new.leaves()
	beforePaths, before := old.leaves()
	for _, path := range beforePaths {
		if after[path] == nil {
			paths = append(paths, path)
		}
	}
	var list []valueChange
	for _, path := range paths {
		a, b := before[path], after[path]
		if a == nil || b == nil || *a != *b {
			list = append(list, valueChange{path, a, b})
		}
	}
	return list
}

// leaves are the values of a probe by their paths, and the paths in order.
func (s *side) leaves() (paths []string, byPath map[string]*leaf) {
	byPath = map[string]*leaf{}
	var walk func(list []schema.Value)
	walk = func(list []schema.Value) {
		for i := range list {
			v := &list[i]
			text, ok := v.Line()
			if !ok {
				walk(v.Values)
				continue
			}
			paths = append(paths, v.Path)
			byPath[v.Path] = &leaf{text, marks(v)}
		}
	}
	walk(s.Values)
	return paths, byPath
}

var leafSeed = maphash.MakeSeed()

// marks is the mark of a scalar, or those of a list of scalars in one.
func marks(v *schema.Value) uint64 {
	if len(v.Values) == 0 {
		return v.Mark
	}
	sum := uint64(0)
	for i := range v.Values {
		sum = maphash.Comparable(leafSeed, [2]uint64{sum, v.Values[i].Mark})
	}
	return sum
}
