package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"sonde/probe"
)

// profile is a named set of values: common keys, and keys of kind blocks.
type profile struct {
	name     string
	declared pos // of its name
	at       place
	values   int      // what it amounts to, aliases expanded
	kinds    []string // of its kind blocks, in order
	// templated is true when its values hold {{…}}, so that they depend on the target, and used when a
	// probe names it.
	templated, used bool
	blocks          []profileBlock // those of kinds that are fine by themselves
}

// profileBlock is a kind's block of a profile, as far as it can be read without a probe.
type profileBlock struct {
	at       place
	settings probe.Settings
}

// profiles are those that a file knows: its own, and those of the files that it includes.
type profiles struct {
	list   []*profile
	byName map[string]*profile
}

func (p *profiles) get(name string) *profile { return p.byName[name] }

func (p *profiles) add(one *profile) {
	if p.byName == nil {
		p.byName = map[string]*profile{}
	}
	if p.byName[one.name] == nil {
		p.list = append(p.list, one)
		p.byName[one.name] = one
	}
}

func (p *profiles) names() []string {
	var names []string
	for _, one := range p.list {
		names = append(names, one.name)
	}
	return names
}

// declare reads the block profiles.
func (d *document) declare(at place) {
	if !at.isMap() {
		d.blind = true
		d.walk.problem(at, RuleType, "is "+what(at)+", want a mapping of names to profiles, as in profiles: {slow: {interval: 5m}}")
		return
	}
	for _, e := range at.entries() {
		if !legalName.MatchString(e.name) || len(e.name) > 200 {
			d.walk.problem(e.key, RuleValue, "is no name of a profile, "+wantName+legalised(e.name))
		} else if first := d.profiles.get(e.name); first != nil {
			d.walk.problem(e.key, RuleName, fmt.Sprintf("is declared at %s already; want a name of its own", first.declared))
		}
		p := d.profile(e)
		d.profiles.add(p)
		d.allProfiles = append(d.allProfiles, placedProfile{p, e.key, d})
	}
}

// profile judges one profile by itself. What is to be filled in is judged where it is used.
func (d *document) profile(e entry) *profile {
	p := &profile{name: e.name, declared: e.key.pos(), at: e.value, values: countOf(e.value.node), templated: holds(e.value.node, "{{")}
	if !e.value.isMap() {
		d.walk.problem(e.value, RuleType, "is "+what(e.value)+", want a mapping with common keys and kind blocks, such as {interval: 5m}")
		return p
	}
	defer d.walk.filling(&filling{loose: true})()
	c := builtin()
	d.walk.structure(e.value, reflect.ValueOf(&c).Elem(), func(key entry) bool {
		if kind, ok := d.kinds[key.name]; ok {
			p.kinds = append(p.kinds, key.name)
			settings := kind.New()
			fine := d.block(key.value, reflect.ValueOf(settings).Elem())
			if !key.value.isMap() {
				return true
			}
			if fine = d.rules.shape(key.value, settings, true) && fine; fine {
				p.blocks = append(p.blocks, profileBlock{key.value, settings})
			}
			return fine
		}
		switch key.name {
		case "name", "use", "targets", "targets_from":
			return d.walk.problem(key.key, RuleUnknownKey, "cannot stand in a profile; it belongs to each probe")
		}
		return d.walk.unknown(e.value, key, append(d.kindNames(), d.walk.layouts.of(commonType).names...))
	})
	d.rules.shape(e.value, &c, true)
	d.rules.words(e.value, &c)
	return p
}

// uses are the profiles that a probe names, the strongest first.
func (d *document) uses(at place) ([]layer, []*profile, bool) {
	if !at.exists() {
		return nil, nil, true
	}
	var names texts
	if !d.walk.decode(at, reflect.ValueOf(&names).Elem()) {
		return nil, nil, false
	}
	var list []*profile
	var layers []layer
	seen := map[string]bool{}
	fine := true
	for i, at := range each(at) {
		p := d.profiles.get(names[i])
		if p != nil {
			p.used = true
		}
		switch {
		case p == nil:
			fine = d.unknownProfile(at, names[i])
			continue
		case !p.at.isMap():
			fine = false // it was said
			continue
		case seen[p.name]:
			fine = d.walk.problem(at, RuleProfile, "is "+what(at)+" once more, want it once")
			continue
		}
		used, where := p.at, at.pos()
		used.via, seen[p.name] = &where, true
		layers = append(layers, layer{used, LayerProfile, p.name})
		list = append(list, p)
	}
	slices.Reverse(layers)
	return layers, list, fine
}

// unknownProfile says that there is no such profile, unless a file that may declare it was not read.
func (d *document) unknownProfile(at place, name string) bool {
	if d.blind {
		return false
	}
	hint := didYouMean(name, d.profiles.names())
	switch {
	case hint != "":
	case len(d.profiles.list) == 0:
		hint = "; this file declares and includes none"
	case len(d.profiles.list) <= 8:
		hint = "; want one of " + strings.Join(d.profiles.names(), ", ")
	}
	return d.walk.problem(at, RuleProfile, "is "+what(at)+", and no profile is called so"+hint)
}

// countOf is what a node amounts to, aliases expanded.
func countOf(n *yaml.Node) int {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	count := 1
	for _, child := range n.Content {
		count += countOf(child)
	}
	return count
}

// holds is true when a scalar below a node holds a text.
func holds(n *yaml.Node, text string) bool {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode {
		return strings.Contains(n.Value, text)
	}
	for _, child := range n.Content {
		if holds(child, text) {
			return true
		}
	}
	return false
}
