package schema

import (
	"reflect"
	"slices"
	"strings"

	"sonde/probe"
)

// topKeys are the keys of a file's top level.
var topKeys = []string{"include", "profiles", "metrics", "defaults", "probes"}

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
	if d.ofTests(root) {
		return
	}
	found := map[string]*entry{}
	for _, e := range root.entries() {
		if slices.Contains(topKeys, e.name) {
			found[e.name] = &e
		} else if !strings.HasPrefix(e.name, "x-") {
			d.walk.unknown(root, e, topKeys)
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
	d.base = d.baseOfDefaults(d.baseOfFile(root, found["metrics"]))
	d.library = found["probes"] == nil
	if found["probes"] != nil || found["include"] == nil && found["profiles"] == nil {
		d.list(root, found["probes"])
	}
}

// ofTests reports a file of tests, where no probe is declared: nothing else that could be said of it is
// what its author needs to know.
func (d *document) ofTests(root place) bool {
	tests, probes := root.find("tests"), root.find("probes")
	declared := probes.exists() && probes.isList() &&
		(d.cut != nil && d.memory.ahead || len(probes.node.Content) > 0 && !probes.element(0).isScalar())
	if !tests.exists() || !tests.isList() || declared {
		return false
	}
	for _, e := range root.entries() {
		if e.name == "tests" {
			at := e.key.pos()
			d.textual(at.line, at.column, RuleUnknownKey, "this is a file of tests, want one of probes; sonde test runs it")
		}
	}
	return true
}

// baseOfFile is the common values of the file's probes as far as its top level says them: those of the
// metrics, over the built-in ones.
func (d *document) baseOfFile(root place, metrics *entry) common {
	c := builtin()
	if metrics == nil {
		return c
	}
	d.walk.decode(metrics.value, reflect.ValueOf(&c.Metrics).Elem())
	if metrics.value.isMap() {
		d.rules.shape(metrics.value, &c.Metrics, true)
		d.root = root
	}
	return c
}

// baseOfDefaults lays the block defaults over values.
func (d *document) baseOfDefaults(c common) common {
	at := d.defaults
	if !at.exists() {
		return c
	}
	if !at.isMap() {
		d.walk.decode(at, reflect.ValueOf(&c).Elem())
		return c
	}
	for _, e := range at.entries() {
		if e.name == "metrics" {
			d.walk.problem(e.key, RuleUnknownKey, "cannot stand under defaults; for all probes of a file it stands at the top level")
		}
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
	names := d.walk.layouts.of(commonType).names
	if Nearest(e.name, names) == "metrics" && d.walk.foreign(e.name) == "" {
		return d.walk.problem(e.key, RuleUnknownKey, "is not a known key; did you mean metrics, at the top level of the file?")
	}
	return d.walk.unknown(at, e, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "metrics" }))
}

// list walks the list of probes.
func (d *document) list(root place, probes *entry) {
	switch {
	case d.cut != nil:
		d.piecewise(probes.value)
	case probes == nil:
		d.walk.problem(root, RuleMissingKey, "probes is missing, want a list of probes")
	case probes.value.isNull():
		d.walk.problem(probes.value, RuleNull, "is empty, want a list of probes, such as - name: home")
	case !probes.value.isList():
		d.walk.problem(probes.value, RuleType, "is "+what(probes.value)+`, want a list of probes, each beginning with "- name: "`)
	case len(probes.value.node.Content) == 0:
		d.problems.warn(probes.value, false, RuleNoProbes, "is an empty list: nothing will be probed")
	default:
		d.elements(probes.value, 0, len(probes.value.node.Content), 0)
	}
}

// elements walks so many elements of the list of probes, from one on; in the file they are those from
// first on.
func (d *document) elements(list place, from, many, first int) {
	for i := range many {
		if d.problems.hopeless() {
			return
		}
		at := place{list.node.Content[from+i], &path{parent: list.path, index: first + i}, list.via, list.doc}
		d.probe(at.resolved())
	}
}
