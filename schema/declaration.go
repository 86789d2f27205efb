package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// ownKeys are the keys that only a probe itself can have, beside the common ones.
var ownKeys = []string{"name", "use", "targets", "targets_from"}

// declaration is an element of the list of probes: one probe, or one for each of its targets.
type declaration struct {
	*document
	at       place
	baseName string // of the probe, without that of a target
	nameKey  place  // where the name stands; the probe itself when it has none
	// targetsKey is where the targets stand; it does not exist when there are none.
	targetsKey place
	kind       string // empty when the probe has no kind block, or more than one
	// layers are the probe itself, the profiles that it uses and the defaults, the strongest first.
	layers, profileLayers []layer
	used                  []*profile
	targets               []*target
	// templated is true when its profiles hold {{…}}, loose when there is no target to fill in, and bare
	// when a profile is not there: what is missing may be in it.
	templated, loose, bare, fine bool
}

// probe walks one element of the list of probes.
func (d *document) probe(at place) {
	if !at.isMap() {
		d.walk.problem(at, RuleType, "is "+what(at)+", want a mapping with name and a kind block such as "+d.anyKind())
		return
	}
	d.walk.bad, d.walk.dir = nil, d.dir
	dec := &declaration{document: d, at: at, fine: true}
	dec.readName(at.find("name"))
	dec.readUse()
	dec.readTargets()
	dec.chooseKind()
	if !dec.affordable() {
		return
	}
	if dec.loose || len(dec.targets) == 0 {
		dec.define(nil)
	}
	for _, t := range dec.targets {
		dec.define(t)
	}
}

// isKind is true of the keys of kind blocks, which are read by themselves.
func (d *declaration) isKind(e entry) bool {
	_, kind := d.kinds[e.name]
	return kind
}

// ownKey judges the keys of the probe that are not common ones.
func (d *declaration) ownKey(e entry) bool {
	if d.isKind(e) || slices.Contains(ownKeys, e.name) {
		return true
	}
	return d.walk.unknown(d.at, e, d.probeKeys())
}

// probeKeys are the keys that a probe may have.
func (d *document) probeKeys() []string {
	names := append([]string{"name"}, d.kindNames()...)
	names = append(names, d.walk.layouts.of(commonType).names...)
	return append(names, ownKeys[1:]...)
}

func (l *loader) kindNames() []string {
	names := make([]string, 0, len(l.kinds))
	for name := range l.kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (l *loader) anyKind() string {
	names := l.kindNames()
	if slices.Contains(names, "http") || len(names) == 0 {
		return "http"
	}
	return names[0]
}

// readName reads the name.
func (d *declaration) readName(at place) {
	var name probeName
	d.nameKey = at
	switch {
	case !at.exists():
		d.nameKey = d.at
	case at.isNull():
		d.fine = d.walk.problem(at, RuleNull, "is empty, "+wantName)
	case at.isScalar() && strings.Contains(at.node.Value, "{{"):
		d.fine = d.walk.problem(at, RuleTemplate, "is "+what(at)+", want a name without {{: the names of targets are added to it by themselves, as in shop.eu")
	case !d.walk.decode(at, reflect.ValueOf(&name).Elem()):
		d.fine = false
	}
	d.baseName = string(name)
}

// needName says that there is no name, unless a misspelt key was taken for it.
func (d *declaration) needName() {
	missing := d.at.missing("name")
	if !d.at.find("name").exists() && !d.walk.bad[missing.path.String()] {
		d.fine = d.walk.problem(missing, RuleMissingKey, "is missing, want a name that no other probe has, such as shop-home")
	}
}

// readUse finds the profiles that the probe uses, and so its layers.
func (d *declaration) readUse() {
	layers, used, fine := d.uses(d.at.find("use"))
	d.profileLayers, d.used, d.bare, d.fine = layers, used, !fine, d.fine && fine
	for _, p := range used {
		d.templated = d.templated || p.templated
	}
	d.layers = append([]layer{{at: d.at, kind: LayerProbe}}, layers...)
	if d.defaults.exists() && d.defaults.isMap() {
		d.layers = append(d.layers, layer{at: d.defaults, kind: LayerDefaults})
	}
	if d.root.exists() {
		d.layers = append(d.layers, layer{at: d.root, kind: LayerFile})
	}
}

// readTargets gathers the targets. Where there should be some and are none, the rest is judged without.
func (d *declaration) readTargets() {
	for _, key := range []struct {
		name string
		read func(place) ([]*target, bool)
	}{{"targets", d.document.targetList}, {"targets_from", d.targetsFrom}} {
		if at := d.at.find(key.name); at.exists() {
			list, fine := key.read(at)
			d.targets, d.fine = append(d.targets, list...), d.fine && fine
			d.targetsKey = at
		}
	}
	d.loose = d.targetsKey.exists() && len(d.targets) == 0
}

// chooseKind finds the one kind: of the probe's own block, or else of its profiles'.
func (d *declaration) chooseKind() {
	var own []place
	for name := range d.kinds {
		if at := d.at.get(name); at.exists() {
			own = append(own, at)
			d.kind = name
		}
	}
	switch kinds := kindsOf(d.used); {
	case len(own) > 1:
		d.secondKind()
	case len(own) == 1:
	case len(kinds) == 1:
		d.kind = kinds[0]
	case len(kinds) > 1:
		d.fine = false
		d.problems.problem(d.at, RuleKind, "has no kind block, and its profiles have blocks of "+strings.Join(kinds, " and ")+"; want one in the probe, to choose")
	}
}

// secondKind reports a second kind block, and chooses the first.
func (d *declaration) secondKind() {
	var own []entry
	for _, e := range d.at.entries() {
		if d.isKind(e) {
			own = append(own, e)
		}
	}
	d.kind = own[0].name
	d.fine = d.walk.problem(own[1].key, RuleKind, fmt.Sprintf("is a second kind block beside %s, want one; make it a probe of its own", own[0].name))
}

// kindsOf are the kinds of which profiles have blocks.
func kindsOf(used []*profile) []string {
	var kinds []string
	for _, p := range used {
		for _, k := range p.kinds {
			kinds = appendNew(kinds, k)
		}
	}
	return kinds
}

// needKind says that there is no kind block, unless a misspelt key was taken for one.
func (d *declaration) needKind() {
	if d.kind != "" || len(kindsOf(d.used)) > 1 || d.bare {
		return
	}
	for _, name := range d.kindNames() {
		if d.walk.bad[d.at.missing(name).path.String()] {
			return
		}
	}
	d.problems.problem(d.at, RuleKind, "has no kind block, want one of "+strings.Join(d.kindNames(), ", "))
}

// baseOf is the common values under the probe's own: the built-in ones under the defaults and the profiles.
// Those of profiles that depend on the target are left out.
func (d *declaration) baseOf() common {
	if len(d.used) == 0 || d.templated {
		return d.base
	}
	key := ""
	for _, p := range d.used {
		key += p.name + ","
	}
	if have := d.bases[key]; have != nil {
		return *have
	}
	c := d.base
	d.readProfiles(&c)
	if d.bases == nil {
		d.bases = map[string]*common{}
	}
	d.bases[key] = &c
	return c
}

// readProfiles reads the common values of the profiles, the weakest first.
func (d *declaration) readProfiles(to *common) {
	for i := len(d.profileLayers) - 1; i >= 0; i-- {
		d.walk.structure(d.profileLayers[i].at, reflect.ValueOf(to).Elem(), d.isKind)
	}
}
