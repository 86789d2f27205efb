package schema

import (
	"fmt"
	"reflect"
	"slices"

	"sonde/probe"
)

// Effective is one probe as it holds: all values, and where each comes from.
type Effective struct {
	Name string
	Kind string
	// Probe is the probe itself; nil when it is disabled.
	Probe *probe.Probe
	// Source is where the probe is declared, file:line.
	Source string
	// Sum is the same for two probes exactly when nothing that a file can say differs between them, but
	// for the folder of the file. The sums of one process may be compared, no others.
	Sum string
	// Values are name, the common keys in the order of the reference, and the kind block.
	Values []Value
}

// Form is what a value is made of.
type Form int

// The forms of values.
const (
	Scalar Form = iota
	Mapping
	List
)

// Value is a value as a file would say it, and where it comes from.
type Value struct {
	// Key is the key within a mapping; empty in a list.
	Key string
	// Path is how the value is called within the probe, as in http.expect.status[0].
	Path string
	Form Form
	// Text is a scalar in YAML, in quotes where it needs them. What was filled in from the environment
	// or a file is the reference to it, as in ${file:PATH}; what looks like a credential and stands in the
	// file as it is, is <secret>.
	Text string
	// Mark is the same for two scalars of one process that hide the same behind <secret>, and 0 where
	// nothing is hidden.
	Mark uint64
	// Values are the entries of a mapping or the elements of a list.
	Values []Value
	Origin Origin
	// Idle is true of a limit that can never fire, because another one always beats it, and of which nobody
	// is warned, because nobody chose it beside that one: it is built in, or of a weaker layer. A mapping is
	// idle when all its limits are.
	Idle bool
}

// Effective returns all probes, disabled ones too, in the order in which the files declare them. It is
// worked out at each call. It has meaning only for a set that was loaded without a problem.
func (s *Set) Effective() []Effective {
	list := make([]Effective, len(s.definitions))
	for i, d := range s.definitions {
		list[i] = d.effective()
	}
	return list
}

// effective is the view of one probe.
func (d *definition) effective() Effective {
	v := viewer{d, d.home()}
	d.walk.dir = v.home
	defer d.walk.filling(&filling{target: d.target, named: map[string]bool{}})()
	base := builtin()
	base.Deadline = limit(d.common.deadline()) // built in, but it depends on the interval
	values := []Value{{Key: "name", Path: "name", Text: inYAML(d.name), Origin: d.nameOrigin()}}
	values = append(values, v.fields("", reflect.ValueOf(&base).Elem(), d.sources())...)
	v.dropBeaten(values)
	v.markIdle(values)
	v.markUnkept(values)
	block := Value{Key: d.kind, Path: d.kind, Form: Mapping, Origin: Origin{Layer: LayerBuiltIn}}
	blocks := under(d.sources(), d.kind)
	if len(blocks) > 0 {
		block.Origin = blocks[0].origin()
	}
	block.Values = v.fields(d.kind, reflect.ValueOf(d.kinds[d.kind].New()).Elem(), blocks)
	return Effective{
		Name: d.name, Kind: d.kind, Probe: d.made, Source: d.where(), Sum: d.sum("", nil), Values: append(values, block),
	}
}

// where is where the probe is declared, file:line.
func (d *definition) where() string { return fmt.Sprintf("%s:%d", d.document.name, d.at.node.Line) }

func (d *definition) nameOrigin() Origin {
	o := Origin{Layer: LayerProbe, File: d.nameAt.file, Line: d.nameAt.line, Column: d.nameAt.column}
	if d.target != nil {
		o.Layer = LayerTarget
	}
	return o
}

// viewer looks at the values of one probe.
type viewer struct {
	*definition
	home string // the folder from which paths are shown
}

// fields are the values of a struct's fields. Preset holds what is built in.
func (v viewer) fields(path string, preset reflect.Value, from []source) []Value {
	var list []Value
	for _, f := range v.walk.layouts.of(preset.Type()).fields {
		value, ok := v.value(join(path, f.name), preset.FieldByIndex(f.index), under(from, f.name))
		if ok {
			value.Key = f.name
			list = append(list, value)
		}
	}
	return list
}

// dropBeaten leaves out, of the reasons that are transient and permanent, those that a stronger layer
// declares to be the other: in one file a reason stands once.
func (v viewer) dropBeaten(values []Value) {
	transient, permanent := v.reasonsThatHold()
	for i := range values {
		for j := range values[i].Values {
			of := &values[i].Values[j]
			hold, lists := map[string][]reason{"retry.transient": transient, "retry.permanent": permanent}[of.Path]
			if lists {
				of.Values = slices.DeleteFunc(of.Values, func(one Value) bool { return !slices.Contains(hold, reason(one.Text)) })
			}
		}
	}
}

// value is what holds of one value's layers and its default; false when there is nothing to show.
func (v viewer) value(path string, preset reflect.Value, from []source) (Value, bool) {
	if len(from) == 0 {
		return v.builtIn(path, preset)
	}
	t := deref(preset.Type())
	switch top := from[0]; {
	case !top.isMap():
	case t.Kind() == reflect.Struct:
		return v.structure(path, preset, from), true
	case t.Kind() == reflect.Map:
		return v.mapping(path, from), true
	}
	return v.asWritten(path, from[0]), true
}

// structure is a mapping with known keys, merged field by field.
func (v viewer) structure(path string, preset reflect.Value, from []source) Value {
	within := reflect.New(deref(preset.Type())).Elem()
	if preset.Kind() == reflect.Struct {
		within.Set(preset)
	} else if !preset.IsNil() {
		within.Set(preset.Elem())
	}
	return Value{Path: path, Form: Mapping, Origin: from[0].origin(), Values: v.fields(path, within, from)}
}

// mapping is a mapping of names, those of all layers together.
func (v viewer) mapping(path string, from []source) Value {
	m := Value{Path: path, Form: Mapping, Origin: from[0].origin()}
	seen := map[string]bool{}
	for _, s := range from {
		if !s.isMap() {
			break
		}
		for _, e := range s.entries() {
			if !seen[e.name] {
				seen[e.name] = true
				m.Values = append(m.Values, v.entry(path, e, s))
			}
		}
	}
	return m
}

func (v viewer) entry(path string, e entry, of source) Value {
	value := v.asWritten(joinKey(path, e.name), source{e.value, of.layer, of.rank})
	value.Key = e.name
	return value
}

// asWritten is a value as it stands in a file, with all below it.
func (v viewer) asWritten(path string, s source) Value {
	value := Value{Path: path, Origin: s.origin()}
	switch {
	case s.isMap():
		value.Form = Mapping
		for _, e := range s.entries() {
			value.Values = append(value.Values, v.entry(path, e, s))
		}
	case s.isList():
		value.Form = List
		for i := range s.node.Content {
			value.Values = append(value.Values, v.asWritten(fmt.Sprintf("%s[%d]", path, i), source{s.element(i), s.layer, s.rank}))
		}
	default:
		value.Text, value.Mark = v.scalar(s.place)
	}
	return value
}

// builtIn is a default.
func (v viewer) builtIn(path string, preset reflect.Value) (Value, bool) {
	value := Value{Path: path, Origin: Origin{Layer: LayerBuiltIn}}
	if d, ok := defaultOf(preset); ok {
		return value.preset(d), true
	}
	if preset.Kind() == reflect.Struct && !isValue(preset.Type()) {
		value.Form, value.Values = Mapping, v.fields(path, preset, nil)
	}
	return value, len(value.Values) > 0
}

// preset fills in a default.
func (v Value) preset(d any) Value {
	list, ok := d.([]any)
	if !ok {
		v.Text = fmt.Sprint(d)
		return v
	}
	v.Form = List
	for i, one := range list {
		v.Values = append(v.Values, Value{
			Path: fmt.Sprintf("%s[%d]", v.Path, i), Text: fmt.Sprint(one), Origin: v.Origin,
		})
	}
	return v
}
