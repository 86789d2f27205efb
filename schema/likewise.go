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
