package schema

import "fmt"

// Layer is one of the places from which a probe takes its values.
type Layer string

// The layers, the strongest first: what a stronger one says beats what a weaker one says, field by field.
const (
	LayerTarget   Layer = "target"   // an element of targets, or of a file of targets_from
	LayerProbe    Layer = "probe"    // the probe itself
	LayerProfile  Layer = "profile"  // a profile that it uses; a later one beats an earlier one
	LayerDefaults Layer = "defaults" // the block defaults of its file
	LayerFile     Layer = "file"     // the top level of its file, which has metrics alone
	LayerBuiltIn  Layer = "built-in" // what holds where no file says otherwise
)

// Origin is where a value comes from.
type Origin struct {
	Layer Layer
	// Profile is the profile's name; empty on other layers.
	Profile string
	// File, Line and Column are those of the value; empty and 0 where it is built in.
	File         string
	Line, Column int
}

// String is the origin in a few words: file:line (layer).
func (o Origin) String() string {
	name := string(o.Layer)
	if o.Profile != "" {
		name += " " + o.Profile
	}
	if o.File == "" {
		return name
	}
	return fmt.Sprintf("%s:%d (%s)", o.File, o.Line, name)
}

// layer is a mapping from which a probe takes values.
type layer struct {
	at      place
	kind    Layer
	profile string
}

// source is a value of a layer, and the layer's rank: the lower, the stronger.
type source struct {
	place
	layer *layer
	rank  int
}

// own is true of a value that the probe itself declares.
func (s source) own() bool { return s.layer.kind == LayerProbe || s.layer.kind == LayerTarget }

// beats is true of a value of a stronger layer, which may have been chosen without regard to the other.
func (d *definition) beats(other source, keys ...string) bool {
	s := d.declared(keys...)
	return s.exists() && s.rank < other.rank
}

func (s source) origin() Origin {
	return Origin{
		Layer: s.layer.kind, Profile: s.layer.profile,
		File: s.doc.name, Line: s.node.Line, Column: s.node.Column,
	}
}

// declared finds where a common value comes from; the place does not exist when it is built in.
func (d *definition) declared(keys ...string) source {
	for i := range d.layers {
		if at := d.layers[i].at.find(keys...); at.exists() {
			return source{at, &d.layers[i], i}
		}
	}
	return source{}
}

// sources are the layers themselves, the strongest first.
func (d *definition) sources() []source {
	list := make([]source, len(d.layers))
	for i := range d.layers {
		list[i] = source{d.layers[i].at, &d.layers[i], i}
	}
	return list
}

// under are the values of a key, the strongest first. What is no mapping has no keys, and hides what
// weaker layers say.
func under(from []source, key string) []source {
	var list []source
	for _, s := range from {
		if !s.isMap() {
			break
		}
		if at := s.get(key); at.exists() {
			list = append(list, source{at, s.layer, s.rank})
		}
	}
	return list
}
