package schema

import (
	"reflect"
	"strconv"

	"gopkg.in/yaml.v3"
)

// anything sets a field that takes whatever stands there: mappings as map[string]any, lists as []any,
// scalars as string, bool, int64, uint64, float64 or nil.
func (w *walker) anything(at place, v reflect.Value) bool {
	value, ok := w.free(at)
	if value != nil {
		v.Set(reflect.ValueOf(value))
	}
	return ok
}

func (w *walker) free(at place) (any, bool) {
	if w.later(at) {
		return nil, true
	}
	if at.node.Style&yaml.TaggedStyle != 0 {
		return nil, w.problem(at, RuleTag, "bears the tag "+shown(nil, at.node.Tag, false)+", want the value without a tag")
	}
	switch at.node.Kind {
	case yaml.MappingNode:
		return w.freeMap(at)
	case yaml.SequenceNode:
		return w.freeList(at)
	}
	return w.freeScalar(at)
}

func (w *walker) freeMap(at place) (any, bool) {
	m, ok := map[string]any{}, true
	for _, e := range at.entries() {
		value, fine := w.free(e.value)
		m[e.name], ok = value, ok && fine
	}
	return m, ok
}

func (w *walker) freeList(at place) (any, bool) {
	list, ok := make([]any, len(at.node.Content)), true
	for i := range list {
		value, fine := w.free(at.element(i))
		list[i], ok = value, ok && fine
	}
	return list, ok
}

// freeScalar reads a scalar whose type only YAML tells. What readers of YAML disagree on is refused.
func (w *walker) freeScalar(at place) (any, bool) {
	x, ok := w.text(at)
	text := x.text
	if !ok || !at.isPlain() || x.filled {
		return text, ok
	}
	switch at.node.Tag {
	case "!!null":
		return nil, true
	case "!!bool":
		if text == "true" || text == "false" {
			return text == "true", true
		}
	case "!!int", "!!float":
		if n, ok := freeNumber(text); ok {
			return n, true
		}
		if jsonNumber.MatchString(text) {
			return nil, w.problem(at, RuleValue, "is "+what(at)+", which is more than 64 bits hold exactly; want it in quotes, as text")
		}
	default:
		return text, true
	}
	return nil, w.problem(at, RuleValue, "is "+what(at)+", which YAML readers read in different ways; "+
		"want a decimal number, true, false, or the text in quotes: "+strconv.Quote(shown(at.path, text, true)))
}

// freeNumber is a number as JSON has it: int64, uint64 or float64; false when those would not keep it.
func freeNumber(text string) (any, bool) {
	if !jsonNumber.MatchString(text) {
		return nil, false
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && !decimal.MatchString(text)
}
