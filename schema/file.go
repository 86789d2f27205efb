package schema

import (
	"reflect"
	"slices"
	"sonde/probe"
	"strings"
)

// later are words that a later version will use, each with what it will be.
var later = map[string]string{
	"profiles":     "named sets of common values",
	"include":      "reading further files",
	"metrics":      "settings of the metrics",
	"use":          "taking values from profiles",
	"targets":      "one probe for many targets",
	"targets_from": "targets from other files",
}

// topKeys are the keys of a file's top level.
var topKeys = []string{"defaults", "probes"}

// top walks a file's top level.
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
	var probes *entry
	for _, e := range root.entries() {
		switch {
		case e.name == "defaults":
			d.defaults = e.value
		case e.name == "probes":
			probes = &e
		case strings.HasPrefix(e.name, "x-"):
		default:
			d.strange(root, e, topKeys, "profiles", "include", "metrics")
		}
	}
	base := d.base()
	d.list(root, probes, &base)
}

// strange reports a key that is not known where it stands: one of the reserved words that belong
// there, or one that nothing is called. It always says false.
func (d *document) strange(in place, e entry, names []string, reserved ...string) bool {
	if slices.Contains(reserved, e.name) {
		return d.walk.problem(e.key, RuleReserved, "is reserved for a later version ("+later[e.name]+"); leave it out")
	}
	return d.walk.unknown(in, e, names)
}

// base is the common values of the file's probes: the built-in ones under the block defaults.
func (d *document) base() common {
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
	if _, kind := d.kinds[e.name]; kind || e.name == "name" {
		return d.walk.problem(e.key, RuleUnknownKey, "cannot stand under defaults; it belongs to each probe")
	}
	return d.strange(at, e, d.walk.layouts.of(commonType).names, "use", "targets", "targets_from")
}

// list walks the list of probes.
func (d *document) list(root place, probes *entry, base *common) {
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
			d.probe(probes.value.element(i), base)
		}
	}
}
