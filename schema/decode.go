package schema

import (
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"

	"sonde/probe"
)

var commonType = reflect.TypeFor[common]()

// walker sets Go values from nodes, by the rules of probe/value.go. It is the only reader of values:
// no type decodes itself from a node, so no key can slip through.
type walker struct {
	problems *collector
	layouts  layouts
	homes    map[string][]string // where keys belong, by their name
	bad      map[string]bool     // the paths at which this probe has a problem already
	dir      string              // where the paths of what is being read start
	fill     *filling            // never nil
	fetch    func(d *document, name string) (value, wrong string)
	absent   bool            // World.Absent
	standIns map[string]bool // the paths of this probe at which a placeholder stands
	example  string          // that of the field which is being read
	inURL    bool            // that field is a URL
	gap      bool            // a placeholder was no value of its type, which was left as it was
}

func newWalker(c *collector) *walker {
	return &walker{problems: c, layouts: layouts{}, fill: &filling{public: true}}
}

// problem reports, and remembers that the value is not to be judged any further.
func (w *walker) problem(at place, rule, text string) bool {
	w.spoil(at.path)
	if t := w.fill.target; t != nil && at.isScalar() && strings.Contains(at.node.Value, "{{") {
		where := t.at.pos()
		at.via = &where
	}
	w.problems.problem(at, rule, text)
	return false
}

// spoil remembers that the value at a path is not what its author meant.
func (w *walker) spoil(p *path) {
	if w.bad == nil {
		w.bad = map[string]bool{}
	}
	if len(w.bad) < 100*maxProblems {
		w.bad[p.String()] = true
	}
}

// isBad is true of a path at or above which something is not what its author meant.
func (w *walker) isBad(p *path) bool {
	for ; p != nil; p = p.parent {
		if w.bad[p.String()] {
			return true
		}
	}
	return false
}

// decode sets v from the node, and says whether all of it was right. What is absent from a mapping
// keeps the value it has in v, so that v starts as the defaults.
func (w *walker) decode(at place, v reflect.Value) bool {
	t := v.Type()
	switch {
	case w.later(at):
		return true
	case at.node.Style&yaml.TaggedStyle != 0:
		return w.problem(at, RuleTag, "bears the tag "+shown(nil, at.node.Tag, false)+", want the value without a tag")
	case at.isNull():
		return w.problem(at, RuleNull, "is empty, want "+w.layouts.wanted(t)+w.empty(t)+", or "+at.path.noun()+" left out")
	case t.Kind() == reflect.Pointer && at.isScalar() && at.node.Tag == "!!bool" && w.empty(t) != "":
		without := map[bool]string{true: w.empty(t), false: ", or " + at.path.noun() + " left out"}[at.node.Value == "true"]
		return w.problem(at, RuleType, "is "+what(at)+", want "+w.layouts.wanted(t)+without)
	case t.Kind() == reflect.Pointer:
		return w.pointer(at, v)
	case t == durationType:
		return w.value(at, (*span)(v.Addr().Interface().(*timeDuration)))
	case isOneOrMany(t) && at.isMap() && onlyKeys(at.node) && !isSecret(at.path):
		return w.problem(at, RuleType, "is a mapping, want a list, as in ["+strings.Join(keysIn(at), ", ")+"]")
	case isOneOrMany(t) && !at.isList():
		one := reflect.MakeSlice(t, 1, 1)
		ok, gap := w.decodeElement(at, one.Index(0))
		if !gap {
			v.Set(one)
		}
		return ok
	case isValue(t) && at.isScalar():
		return w.value(at, v.Addr().Interface().(probe.Value))
	}
	return w.kind(at, v)
}

// kind sets a value by its kind.
func (w *walker) kind(at place, v reflect.Value) bool {
	fits := at.isScalar()
	switch v.Kind() {
	case reflect.Interface:
		return w.anything(at, v)
	case reflect.Struct:
		fits = at.isMap() && !(isValue(v.Type()) && len(w.layouts.of(v.Type()).fields) == 0)
	case reflect.Map:
		fits = at.isMap()
	case reflect.Slice:
		fits = at.isList()
	}
	if !fits {
		return w.problem(at, RuleType, "is "+what(at)+", want "+w.layouts.wanted(v.Type())+w.likewise(at, v))
	}
	switch v.Kind() {
	case reflect.Struct:
		return w.structure(at, v, nil)
	case reflect.Map:
		return w.mapping(at, v)
	case reflect.Slice:
		return w.list(at, v)
	}
	return w.scalar(at, v)
}

func (w *walker) pointer(at place, v reflect.Value) bool {
	fresh := reflect.New(v.Type().Elem())
	if !v.IsNil() {
		fresh.Elem().Set(v.Elem())
	}
	ok, gap := w.decodeElement(at, fresh.Elem())
	if !gap {
		v.Set(fresh)
	}
	return ok
}

// value lets a type read its scalar's text.
func (w *walker) value(at place, v probe.Value) bool {
	if !at.isScalar() {
		return w.problem(at, RuleType, "is "+what(at)+", want "+w.layouts.wanted(reflect.TypeOf(v).Elem()))
	}
	x, ok := w.text(at)
	if !ok {
		return false
	}
	if err := v.UnmarshalText([]byte(x.text)); err != nil {
		if w.gap = x.absent; w.gap {
			return true
		}
		if x.secret { // the error may quote it
			return w.problem(at, RuleValue, "is "+what(at)+", which is filled in; want "+w.layouts.wanted(reflect.TypeOf(v).Elem()))
		}
		return w.problem(at, RuleValue, "is "+what(at)+", "+likelierUnit(err.Error(), x.text, v))
	}
	if _, ok := v.(probe.Numeric); ok && !at.isPlain() && !x.filled && decimal.MatchString(x.text) {
		return w.problem(at, RuleType, "is "+what(at)+", "+wantUnquoted)
	}
	return true
}

// given is a struct that wants to know that its block stands in the file.
type given interface{ given() }

// structure sets the fields of a struct. Keys that are no field of it are offered to other, when there
// is one; what that does not know either is a problem.
func (w *walker) structure(at place, v reflect.Value, other func(entry) (known bool)) bool {
	if g, ok := v.Addr().Interface().(given); ok {
		g.given()
	}
	l := w.layouts.of(v.Type())
	ok := true
	for _, e := range at.entries() {
		if f := l.get(e.name); f != nil {
			w.example, w.inURL = f.tag.Get("example"), f.tag.Get("fill") == "url"
			ok = w.decode(e.value, v.FieldByIndex(f.index)) && ok
			w.inURL = false
		} else if other == nil {
			ok = w.unknown(at, e, l.names)
		} else if !other(e) {
			ok = false
		}
	}
	return ok
}

// mapping sets a map. What it holds already stays, but the map itself may be shared and is not touched.
func (w *walker) mapping(at place, v reflect.Value) bool {
	t := v.Type()
	fresh := reflect.MakeMapWithSize(t, len(at.node.Content)/2)
	for it := v.MapRange(); it.Next(); {
		fresh.SetMapIndex(it.Key(), it.Value())
	}
	ok := true
	for _, e := range at.entries() {
		one := reflect.New(t.Elem()).Elem()
		fine, gap := w.decodeElement(e.value, one)
		if ok = fine && ok; !gap {
			fresh.SetMapIndex(reflect.ValueOf(e.name).Convert(t.Key()), one)
		}
	}
	v.Set(fresh)
	return ok
}

// list sets a slice anew.
func (w *walker) list(at place, v reflect.Value) bool {
	fresh := reflect.MakeSlice(v.Type(), len(at.node.Content), len(at.node.Content))
	ok, n := true, 0
	for i := range at.node.Content {
		fine, gap := w.decodeElement(at.element(i), fresh.Index(n))
		if ok = fine && ok; !gap {
			n++
		}
	}
	v.Set(fresh.Slice(0, n))
	return ok
}

// unknown reports a key that nothing is called, with the best hint there is.
func (w *walker) unknown(in place, e entry, names []string) bool {
	hint := "want one of " + strings.Join(names, ", ")
	near := Nearest(e.name, names)
	whole, asOne := wholeOf(e.name, names)
	switch homes := w.homes[e.name]; {
	case afterComma(in, e) != "":
		hint = afterComma(in, e)
	case in.path == nil && w.homes != nil && w.layouts.of(commonType).get(e.name) != nil:
		hint = "it belongs under defaults, or in a probe"
	case w.homes != nil && w.within(in.path, names, e.name) != "":
		hint = w.within(in.path, names, e.name)
	case whole != "":
		hint = asOne
		w.mean(in, whole)
	case len(homes) > 0:
		hint = "it belongs at " + alternatives(homes)
	case w.homes != nil && w.foreign(e.name) != "":
		hint = w.foreign(e.name)
	case near != "":
		hint = "did you mean " + near + "?"
		w.mean(in, near)
	}
	return w.problem(e.key, RuleUnknownKey, "is not a known key; "+hint)
}

// mean notes that a key of a mapping stands there under another name, so that it is not missed.
func (w *walker) mean(in place, key string) {
	w.spoil(&path{parent: in.path, key: key})
}
