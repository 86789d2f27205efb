package schema

import (
	"reflect"
	"slices"
	"strings"

	"sonde/probe"
)

// later are words that a later version will use, each with what it will be.
var later = map[string]string{"metrics": "settings of the metrics"}

// topKeys are the keys of a file's top level.
var topKeys = []string{"include", "profiles", "defaults", "probes"}

// top walks a file's top level, in an order of its own: what is included may bring profiles, and probes
// need all the rest.
func (d *document) top(root place) {
	d.walk.begin(d.kindNames(), func(kind string) probe.Settings { return d.kinds[kind].New() })
	if !root.isMap() {
		hint := "want a mapping with the key probes"
		if root.isList() {
			hint = "want probes: above it, and the list under that"
		}
		d.textual(root.node.Line, root.node.Column, RuleType, "the file is "+what(root)+", "+hint)
		return
	}
	found := map[string]*entry{}
	for _, e := range root.entries() {
		if slices.Contains(topKeys, e.name) {
			found[e.name] = &e
		} else if !strings.HasPrefix(e.name, "x-") {
			d.strange(root, e, topKeys, "metrics")
		}
	}
	if e := found["include"]; e != nil {
		d.includes(e.value)
	}
	if e := found["profiles"]; e != nil {
		d.declare(e.value)
	}
	if e := found["defaults"]; e != nil {
		d.defaults = e.value
	}
	d.base, d.library = d.baseOfDefaults(), found["probes"] == nil
	if found["probes"] != nil || found["include"] == nil && found["profiles"] == nil {
		d.list(root, found["probes"])
	}
}

// strange reports a key that is not known where it stands: one of the reserved words that belong
// there, or one that nothing is called. It always says false.
func (d *document) strange(in place, e entry, names []string, reserved ...string) bool {
	if slices.Contains(reserved, e.name) {
		return d.walk.problem(e.key, RuleReserved, "is reserved for a later version ("+later[e.name]+"); leave it out")
	}
	return d.walk.unknown(in, e, names)
}

// baseOfDefaults is the common values of the file's probes: the built-in ones under the block defaults.
func (d *document) baseOfDefaults() common {
	c := builtin()
	at := d.defaults
	if !at.exists() {
		return c
	}
	if !at.isMap() {
		d.walk.decode(at, reflect.ValueOf(&c).Elem())
		return c
	}
	d.walk.structure(at, reflect.ValueOf(&c).Elem(), func(e entry) bool { return d.notDefault(at, e) })
	d.rules.shape(at, &c, true)
	d.rules.words(at, &c)
	return c
}

// notDefault reports a key that cannot stand under defaults.
func (d *document) notDefault(at place, e entry) bool {
	switch _, kind := d.kinds[e.name]; {
	case kind:
		return d.walk.problem(e.key, RuleUnknownKey, "cannot stand under defaults; it belongs to each probe, or in a profile")
	case slices.Contains(ownKeys, e.name):
		return d.walk.problem(e.key, RuleUnknownKey, "cannot stand under defaults; it belongs to each probe")
	}
	return d.strange(at, e, d.walk.layouts.of(commonType).names)
}

// list walks the list of probes.
func (d *document) list(root place, probes *entry) {
	switch {
	case probes == nil:
		d.walk.problem(root, RuleMissingKey, "probes is missing, want a list of probes")
	case probes.value.isNull():
		d.walk.problem(probes.value, RuleNull, "is empty, want a list of probes, such as - name: home")
	case !probes.value.isList():
		d.walk.problem(probes.value, RuleType, "is "+what(probes.value)+`, want a list of probes, each beginning with "- name: "`)
	case len(probes.value.node.Content) == 0:
		d.problems.warn(probes.value, false, RuleNoProbes, "is an empty list: nothing will be probed")
	default:
		for i := range probes.value.node.Content {
			if d.problems.hopeless() {
				break
			}
			d.probe(probes.value.element(i))
		}
	}
}
