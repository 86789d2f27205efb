package schema

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"sonde/probe"
)

// definition is one probe on its way from the file to the set.
type definition struct {
	*document
	at       place
	name     string
	nameAt   place
	common   common
	kind     string // empty when the probe has no kind block, or more than one
	block    place
	settings probe.Settings
	// layers are what the probe takes values from, the strongest first.
	layers []layer
	made   *probe.Probe // nil while it is not, and when it is disabled
	// fine is true while the probe has no problem, blockFine while its kind block has none.
	fine, blockFine bool
}

// probe walks one element of the list of probes.
func (d *document) probe(at place, base *common) {
	if !at.isMap() {
		d.walk.problem(at, RuleType, "is "+what(at)+", want a mapping with name and a kind block such as "+d.anyKind())
		return
	}
	def := &definition{document: d, at: at, common: *base, fine: true, layers: []layer{{at: at, kind: LayerProbe}}}
	if d.defaults.exists() && d.defaults.isMap() {
		def.layers = append(def.layers, layer{at: d.defaults, kind: LayerDefaults})
	}
	var blocks []entry
	def.fine = d.walk.structure(at, reflect.ValueOf(&def.common).Elem(), func(e entry) bool {
		switch _, kind := d.kinds[e.name]; {
		case kind:
			blocks = append(blocks, e)
			return true
		case e.name == "name":
			return def.setName(e.value)
		}
		return d.strange(at, e, d.probeKeys(), "use", "targets", "targets_from")
	})
	def.needName()
	def.setKind(blocks)
	def.check()
	def.build()
}

// probeKeys are the keys that a probe may have.
func (d *document) probeKeys() []string {
	names := append([]string{"name"}, d.kindNames()...)
	return append(names, d.walk.layouts.of(commonType).names...)
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

// legalName is what a probe may be called: it stands in labels, URLs and file names.
var legalName = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]*$`)

const wantName = "want lower-case letters, digits, _, . and -, beginning with a letter or digit, at most 200"

// probeName is a probe's name.
type probeName string

// UnmarshalText takes a legal name.
func (n *probeName) UnmarshalText(text []byte) error {
	if !legalName.Match(text) || len(text) > 200 {
		return fmt.Errorf("%s%s", wantName, legalised(string(text)))
	}
	*n = probeName(text)
	return nil
}

// legalised is the hint of a legal name that is close by, or empty.
func legalised(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
		return ""
	}
	s := strings.Trim(regexp.MustCompile(`[^a-z0-9_.-]+`).ReplaceAllString(strings.ToLower(name), "-"), "-_.")
	if !legalName.MatchString(s) || len(s) > 200 {
		return ""
	}
	return "; " + s + " would do"
}

// setName reads the name and sees that it is the only one of its kind in the set.
func (d *definition) setName(at place) bool {
	if at.isNull() {
		d.nameAt = at
		return d.walk.problem(at, RuleNull, "is empty, "+wantName)
	}
	var name probeName
	if !d.walk.decode(at, reflect.ValueOf(&name).Elem()) {
		d.nameAt = at
		return false
	}
	d.name, d.nameAt = string(name), at
	if first, taken := d.names[d.name]; taken {
		return d.walk.problem(at, RuleName, fmt.Sprintf("is %q, which the probe at %s is called already; want a name of its own", d.name, first))
	}
	d.names[d.name] = at.pos()
	return true
}

func (d *definition) needName() {
	missing := &path{parent: d.at.path, key: "name"}
	if !d.nameAt.exists() && !d.walk.bad[missing.String()] {
		d.fine = d.walk.problem(place{d.at.node, missing, d.at.via, d.document}, RuleMissingKey, "is missing, want a name that no other probe has, such as shop-home")
	}
}

// setKind reads the one kind block.
func (d *definition) setKind(blocks []entry) {
	switch len(blocks) {
	case 0:
		if !d.suggestedKind() {
			d.fine = false
			d.problems.problem(d.at, RuleKind, "has no kind block, want one of "+strings.Join(d.kindNames(), ", "))
		}
		return
	case 1:
	default:
		d.fine = d.walk.problem(blocks[1].key, RuleKind, fmt.Sprintf("is a second kind block beside %s, want one; make it a probe of its own", blocks[0].name))
	}
	for _, e := range blocks {
		d.readBlock(e)
	}
}

// suggestedKind is true when a misspelt key was taken for a kind block.
func (d *definition) suggestedKind() bool {
	for _, name := range d.kindNames() {
		if d.walk.bad[(&path{parent: d.at.path, key: name}).String()] {
			d.fine = false
			return true
		}
	}
	return false
}

// readBlock decodes a kind block into settings that hold the kind's defaults.
func (d *definition) readBlock(e entry) {
	d.kind, d.block = e.name, e.value
	d.settings = d.kinds[e.name].New()
	v := reflect.ValueOf(d.settings).Elem()
	if e.value.isNull() {
		d.fine = d.walk.problem(e.value, RuleNull, "is empty, want "+d.walk.layouts.wanted(v.Type()))
		return
	}
	d.blockFine = d.walk.decode(e.value, v)
	if e.value.isMap() {
		d.blockFine = d.rules.shape(e.value, d.settings, false) && d.blockFine
	}
	d.fine = d.fine && d.blockFine
}
