package schema

import (
	"cmp"
	"reflect"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"sonde/probe"
)

// likewise shows how a scalar is written where a list or a mapping is wanted; empty when that would only
// be a guess.
func (w *walker) likewise(at place, v reflect.Value) string {
	switch {
	case at.isList() && v.Kind() == reflect.Map && len(at.node.Content) > 0 && at.element(0).isScalar() && !isSecret(at.path):
		return pairAsMapping(at.node.Content[0].Value, ":")
	case at.isList() && v.Kind() != reflect.Slice && len(at.node.Content) > 0 && at.node.Style&yaml.FlowStyle == 0:
		return "; leave the dashes out"
	case !at.isScalar() || isSecret(at.path) || isTemplate(at.node.Value):
		return ""
	}
	switch v.Kind() {
	case reflect.Map:
		return pairAsMapping(at.node.Value, "=")
	case reflect.Slice:
		return ", as in [" + what(at) + "]"
	case reflect.Struct:
		for _, f := range w.layouts.of(v.Type()).fields {
			if text := f.alone(at); text != "" || f.required(v.FieldByIndex(f.index)) {
				return ", as in {" + f.name + ": " + cmp.Or(text, what(at)) + "}"
			}
		}
		return kindsOfBlock(w.layouts.of(v.Type()))
	}
	return ""
}

// onlyKeys is true of {a, b}, as somebody wrote who meant [a, b].
func onlyKeys(n *yaml.Node) bool {
	if n.Style&yaml.FlowStyle == 0 || len(n.Content) == 0 {
		return false
	}
	for i := 1; i < len(n.Content); i += 2 {
		if !isOnlyKey(n.Content[i]) {
			return false
		}
	}
	return true
}

// isOnlyKey is true of the value of a key that has none, not even a colon before it.
func isOnlyKey(value *yaml.Node) bool {
	return value.Kind == yaml.ScalarNode && value.Tag == "!!null" && value.Value == ""
}

// keysIn are the first keys of a mapping.
func keysIn(at place) (names []string) {
	for _, e := range at.entries() {
		if names = append(names, clip(e.name)); len(names) == 3 {
			break
		}
	}
	return names
}

// afterComma is the hint for a key without a value that is not the first of its {…}: it was meant to go on
// with the value before it.
func afterComma(in place, e entry) string {
	if in.node.Style&yaml.FlowStyle == 0 || len(in.node.Content) < 4 || in.node.Content[0] == e.key.node || !e.value.isNull() || !isOnlyKey(e.value.node) {
		return ""
	}
	return "after a comma in {…} a key begins; want a list in [ ], or a text that holds a comma in quotes"
}

// empty shows how a block is written that is wanted, with nothing in it; empty of what is no optional block,
// or is one with a key that must be there.
func (w *walker) empty(t reflect.Type) string {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct || isValue(t.Elem()) {
		return ""
	}
	preset := reflect.New(t.Elem()).Elem()
	for _, f := range w.layouts.of(t.Elem()).fields {
		if f.required(preset.FieldByIndex(f.index)) {
			return ""
		}
	}
	return ", such as {}"
}

// kindsOfBlock says which kinds a block has that was written as a word, such as backoff: exponential; empty
// when it has none.
func kindsOfBlock(l *layout) string {
	f := l.get("kind")
	if f == nil {
		return ""
	}
	for _, r := range parseRules(f.rules) {
		if words := strings.Fields(r.param); r.name == "oneof" && len(words) > 0 {
			return ", as in {kind: " + words[0] + "}; kind is " + alternatives(words)
		}
	}
	return ""
}

// pairAsMapping shows a name and a value as a mapping, where somebody wrote them as one text; empty when
// it is none, or when the value may be a credential.
func pairAsMapping(text, between string) string {
	name, value, ok := strings.Cut(text, between)
	if name = strings.TrimSpace(name); !ok || probe.IsSecretKey(name) || isTemplate(text) || strings.ContainsAny(name, " \t&") {
		return ""
	}
	return ", as in {" + clip(name) + ": " + strconv.Quote(clip(strings.TrimSpace(value))) + "}"
}
