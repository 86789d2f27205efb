package schema

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"sonde/probe"
)

// field is a field of a struct that is part of the file.
type field struct {
	name  string // in the file
	index []int
	typ   reflect.Type
	rules string // the validate tag
	key   string // the field's name in Go
	tag   reflect.StructTag
}

// layout is what a struct looks like in the file.
type layout struct {
	fields []field
	byName map[string]int
	names  []string
	// digested are the fields that count in a digest.
	digested []int
}

// get is the field of a name in the file; nil when there is none.
func (l *layout) get(name string) *field {
	if i, ok := l.byName[name]; ok {
		return &l.fields[i]
	}
	return nil
}

// required is true of a field that a file must set, because it has no default.
func (f *field) required(preset reflect.Value) bool {
	return preset.IsZero() && slices.Contains(parseRules(f.rules), rule{"required", ""})
}

// alone is how a scalar that stands where the field's whole mapping belongs is written as the field;
// empty when the field has no tag `alone:"true"`, or does not take it. The tag is on the field that people
// mean when they write no mapping.
func (f *field) alone(at place) string {
	text := at.node.Value
	switch {
	case f.tag.Get("alone") == "":
		return ""
	case isOneOrMany(f.typ) && isValue(f.typ.Elem()):
		if reflect.New(f.typ.Elem()).Interface().(probe.Value).UnmarshalText([]byte(text)) != nil {
			return ""
		}
		return text
	case f.typ.Kind() == reflect.Int && at.node.Tag != "!!int", f.typ.Kind() == reflect.Slice && at.node.Tag != "!!str":
		return ""
	case f.typ.Kind() != reflect.Int64:
		return what(at)
	}
	if number, unit, rest := nextTerm(text); rest == "" && longhand[strings.TrimSpace(unit)] != "" {
		text = number + longhand[strings.TrimSpace(unit)]
	}
	if v, ok := reflect.New(f.typ).Interface().(probe.Value); !ok || v.UnmarshalText([]byte(text)) != nil {
		return ""
	}
	return text
}

// layouts keeps the layouts of the structs that were met.
type layouts map[reflect.Type]*layout

// of is the layout of a struct type.
func (m layouts) of(t reflect.Type) *layout {
	if l := m[t]; l != nil {
		return l
	}
	l := &layout{byName: map[string]int{}}
	for _, f := range reflect.VisibleFields(t) {
		name := yamlName(f)
		if name == "" || len(f.Index) > 1 {
			continue
		}
		l.byName[name] = len(l.fields)
		l.names = append(l.names, name)
		l.fields = append(l.fields, field{
			name: name, index: f.Index, typ: f.Type, rules: f.Tag.Get("validate"), key: f.Name, tag: f.Tag,
		})
	}
	l.digested = fieldsDigested(t, l)
	m[t] = l
	return l
}

// yamlName is a field's name in the file; empty when it is not part of it.
func yamlName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if name == "-" || !f.IsExported() {
		return ""
	}
	return name
}

var (
	valueType     = reflect.TypeFor[probe.Value]()
	oneOrManyType = reflect.TypeFor[probe.OneOrMany]()
	durationType  = reflect.TypeFor[time.Duration]()
)

// isValue is true of types that are written as one scalar.
func isValue(t reflect.Type) bool {
	return t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(valueType)
}

// isOneOrMany is true of slices that may be written as their one element alone.
func isOneOrMany(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && (t.Implements(oneOrManyType) || reflect.PointerTo(t).Implements(oneOrManyType))
}

// wanted says what may stand for a type, for `want …`.
func (m layouts) wanted(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Pointer:
		return m.wanted(t.Elem())
	case t == durationType:
		return wantDuration
	case isOneOrMany(t):
		return m.wanted(t.Elem()) + ", or a list of such"
	case isValue(t):
		return m.wantedByValue(t)
	}
	return m.wantedByKind(t)
}

// nonsense is what hardly any type takes: a NUL, and as a regular expression not closed.
const nonsense = "\x00("

// wantedByValue lets the type itself say it. A struct that takes any text takes a mapping, too.
func (m layouts) wantedByValue(t reflect.Type) string {
	if v, ok := reflect.New(t).Interface().(probe.Value); ok {
		if err := v.UnmarshalText([]byte(nonsense)); err != nil {
			text, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "want "), "; ")
			text, _, _ = strings.Cut(text, ": ")
			return text
		}
	}
	if t.Kind() == reflect.Struct && len(m.of(t).fields) > 0 {
		return "text, or a mapping with " + keysOf(m.of(t).names)
	}
	return "text"
}

func (m layouts) wantedByKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "text"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Map:
		return "a mapping of names to values"
	case reflect.Struct:
		return "a mapping with " + keysOf(m.of(t).names)
	case reflect.Interface:
		return "a value"
	}
	return "a whole number"
}

// keysOf lists the keys that a mapping may have.
func keysOf(names []string) string {
	switch {
	case len(names) == 1:
		return "the key " + names[0]
	case len(names) > 8:
		return "keys such as " + alternatives(names[:3])
	}
	return "keys of " + strings.Join(names, ", ")
}
