package schema

import (
	"reflect"
	"slices"

	"sonde/probe"
)

// Shape is what may stand at one place of a file: a Go type under the tags of its field, as the decoder
// takes it. It is there for whoever makes a page or a schema of the language, and holds no more than facts.
type Shape struct {
	// Type is the Go type, no pointer: its comment in the source says what the value is.
	Type reflect.Type
	// Scalar is true of what is written as one scalar though the Go type is none, or is another. A Scalar
	// with Keys may be a mapping, too.
	Scalar bool
	// OneOrMany is true of a list whose one element may stand alone.
	OneOrMany bool
	// Own is the JSON Schema that the type has of itself, or nil.
	Own map[string]any
	// Wanted is what a problem says that it wants here: a form, bounds, or else what the type takes.
	Wanted string
	// Words are the only texts that may stand here; none means any.
	Words []string
	// Least and Most bound a number, the length of a text, or the elements of a list or a mapping of names.
	// Empty means no bound. ZeroPasses is true where the zero value passes beneath Least.
	Least, Most string
	ZeroPasses  bool
	// Keys are those of a struct, in the order of its fields; nil of any other type.
	Keys []Key
	// Element is that of a list or a mapping of names; nil of any other type.
	Element *Shape
}

// Key is a key of a mapping that a struct stands for.
type Key struct {
	Name   string // in the file
	GoName string // of the struct's field, under which its comment stands in the source
	Shape
	// Required is true of a key that a file must have.
	Required bool
	// Default is the value without the key, as the file would have it: a text, a number, a boolean or a
	// list of these; nil when there is none to speak of. Preset says in words what Default cannot, or is empty.
	Default any
	Preset  string
	// Example is a value as a file has it, or empty. Literal is that value as YAML reads it.
	Example string
}

// Language is what a file may hold beside the blocks of kinds.
type Language struct {
	// Common are the common keys, with the defaults that are built in.
	Common Shape
	// TargetsFrom is the mapping of that name.
	TargetsFrom Shape
	// Name is the regular expression of legal names, and MaxName how many characters one has at most.
	Name    string
	MaxName int
	// ReservedLabels are the names that no label may have.
	ReservedLabels []string
}

// Describe is the language of the definition files. Blocks of kinds are seen by ShapeOf.
func Describe() Language {
	base := builtin()
	return Language{
		Common: ShapeOf(&base), TargetsFrom: ShapeOf(&targetsFrom{}),
		Name: legalName.String(), MaxName: maxName, ReservedLabels: slices.Clone(reservedLabels),
	}
}

// ShapeOf is the shape of the struct that settings points to, as Kind.New returns one or as Decode fills
// one. What the struct holds are the defaults.
func ShapeOf(settings any) Shape {
	v := reflect.ValueOf(settings).Elem()
	return layouts{}.shape(v, tagged{typ: v.Type()})
}

// shape is that of a value that holds its defaults, under its rules.
func (m layouts) shape(v reflect.Value, t tagged) Shape {
	s := Shape{
		Type: t.typ, Scalar: isValue(t.typ) || t.typ == durationType, OneOrMany: isOneOrMany(t.typ), Own: ownSchema(t.typ),
		Wanted: m.asked(t), Words: t.words(), ZeroPasses: slices.Contains(t.rules, rule{"omitempty", ""}),
	}
	s.Least, s.Most = t.bounds()
	switch {
	case hasElements(t.typ):
		element := m.shape(reflect.Zero(t.typ.Elem()), tagged{rules: below(t.rules), typ: deref(t.typ.Elem())})
		s.Element = &element
	case t.typ.Kind() == reflect.Struct:
		s.Keys = m.keys(t.typ, v)
	}
	return s
}

// keys are those of a struct type with the defaults that a value holds, or, behind a pointer, with none.
func (m layouts) keys(t reflect.Type, v reflect.Value) []Key {
	if v.Kind() == reflect.Pointer {
		v = reflect.Zero(t)
	}
	var keys []Key
	for _, f := range m.of(t).fields {
		preset := v.FieldByIndex(f.index)
		k := Key{
			Name: f.name, GoName: f.key, Shape: m.shape(preset, tagged{rules: parseRules(f.rules), typ: deref(f.typ)}),
			Required: f.required(preset), Preset: f.tag.Get("preset"), Example: f.tag.Get("example"),
		}
		if d, ok := defaultOf(preset); ok {
			k.Default = d
		}
		keys = append(keys, k)
	}
	return keys
}

// ownSchema is what a type says of itself, or nil.
func ownSchema(t reflect.Type) map[string]any {
	if t == durationType {
		return new(span).JSONSchema()
	}
	if own, ok := reflect.New(t).Interface().(probe.Described); ok {
		return own.JSONSchema()
	}
	return nil
}

// asked is the form of a text, the bounds of a number or of elements, or else what the type takes.
func (m layouts) asked(t tagged) string {
	if isValue(t.typ) || t.typ == durationType {
		return m.wanted(t.typ)
	}
	for _, r := range t.rules {
		if text, ok := format(r.name); ok {
			return text
		}
	}
	least, most := t.bounds()
	if t.typ.Kind() != reflect.String && (least != "" || most != "") {
		return t.span()
	}
	return m.wanted(t.typ)
}
