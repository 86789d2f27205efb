package schema

import (
	"fmt"
	"reflect"

	"sonde/probe"
)

// definition is one probe on its way from a declaration to the set.
type definition struct {
	*declaration
	target   *target // nil without targets
	name     string
	nameAt   pos
	common   common
	settings probe.Settings
	filled   *filling // what was filled into its values
	// layers are what the probe takes values from, the strongest first.
	layers []layer
	blocks []source     // of the kind, of those layers; see kindBlocks
	made   *probe.Probe // nil while it is not, and when it is disabled
	// fine is true while the probe has no problem, and blockFine while its kind block has none; lacks is true when
	// something is not there that need not be (World.Absent).
	fine, blockFine, lacks bool
}

// define makes the probe of one target; of a declaration without targets the target is nil.
func (d *declaration) define(t *target) {
	def := &definition{declaration: d, target: t, fine: d.fine, layers: d.layers}
	if t != nil && t.labels.exists() {
		def.layers = append([]layer{{at: t.labels, kind: LayerTarget}}, d.layers...)
	}
	d.walk.bad, d.walk.standIns = nil, nil
	def.filled = &filling{public: true, loose: d.loose, target: t, named: map[string]bool{}}
	defer d.walk.filling(def.filled)()
	def.setName()
	def.readCommon()
	def.needName()
	def.needKind()
	def.filled.public = false
	def.readBlocks()
	if t != nil && def.fine && !d.unnamed(t, def.filled.named) {
		def.fine = false
	}
	def.adviseExported()
	if !d.loose {
		def.build()
	}
}

// setName makes the name, and sees that it is the only one of its kind in the set.
func (d *definition) setName() {
	d.name, d.nameAt = d.baseName, d.nameKey.pos()
	at, is := d.nameKey, "is"
	if d.name == "" {
		return
	}
	if d.target != nil {
		at, is = d.target.at, "makes a probe of the name"
		d.name, d.nameAt = d.name+"."+d.target.name, at.pos()
	}
	first, taken := d.names[d.name]
	switch {
	case len(d.name) > maxName:
		d.fine = d.walk.problem(at, RuleName, fmt.Sprintf("makes the name %q, of %d characters, want at most %d", clip(d.name), len(d.name), maxName))
	case taken:
		d.fine = d.walk.problem(at, RuleName, fmt.Sprintf("%s %q, which the probe at %s is called already; want a name of its own", is, d.name, first))
	default:
		d.names[d.name] = d.nameAt
	}
}

// readCommon reads the common values, the weakest layer first.
func (d *definition) readCommon() {
	d.common = d.baseOf()
	v := reflect.ValueOf(&d.common).Elem()
	if d.templated {
		d.readProfiles(&d.common)
	}
	d.fine = d.walk.structure(d.at, v, d.ownKey) && d.fine
	if d.target != nil && d.target.labels.exists() {
		d.fine = d.walk.structure(d.target.labels, v, nil) && d.fine
	}
	shape := d.rules.commonShape(d.at, &d.common)
	d.fine = d.rules.words(d.at, &d.common) && shape && d.fine
}

// readBlocks reads the kind's blocks, the weakest layer first, into settings that hold the kind's defaults.
func (d *definition) readBlocks() {
	if d.kind == "" {
		d.fine = false
		return
	}
	d.settings = d.kinds[d.kind].New()
	v := reflect.ValueOf(d.settings).Elem()
	d.blockFine = true
	blocks := d.kindBlocks()
	for i := len(blocks) - 1; i >= 0; i-- {
		d.blockFine = d.block(blocks[i].place, v) && d.blockFine
	}
	if len(blocks) > 0 && blocks[0].isMap() {
		d.blockFine = d.rules.shapeIn(d.blockIndex, d.settings, d.bare) && d.blockFine
	}
	d.fine = d.fine && d.blockFine
}

// kindBlocks are the kind's blocks, the strongest first.
func (d *definition) kindBlocks() []source {
	if d.blocks == nil {
		d.blocks = under(d.sources(), d.kind)
	}
	return d.blocks
}

// block reads a kind block into settings.
func (d *document) block(at place, settings reflect.Value) bool {
	if at.isNull() {
		return d.walk.problem(at, RuleNull, "is empty, want "+d.walk.layouts.wanted(settings.Type()))
	}
	return d.walk.decode(at, settings)
}

// blockIndex finds places within the kind's blocks. What is missing from all is missing from the probe.
func (d *definition) blockIndex() *index {
	blocks := d.kindBlocks()
	root := place{d.at.node, &path{parent: d.at.path, key: d.kind}, d.at.via, d.document}
	if len(blocks) > 0 && blocks[0].layer.kind == LayerProbe {
		root = blocks[0].place
	}
	x := &index{root: root, places: map[string]place{}}
	for i := len(blocks) - 1; i >= 0; i-- {
		x.fill("", blocks[i].place)
	}
	x.places[""] = root
	return x
}
