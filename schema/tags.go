package schema

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"sonde/probe"
)

// tagged is the rules of one value: those of its field, or, of an element, those after dive.
type tagged struct {
	rules []rule
	typ   reflect.Type
	in    *layout // of the struct that the field is in
	like  string  // the field's example, or empty
}

// rule is one rule of a validate tag, such as max=599.
type rule struct{ name, param string }

func parseRules(tag string) []rule {
	var rules []rule
	for _, part := range strings.Split(tag, ",") {
		if name, param, _ := strings.Cut(part, "="); name != "" {
			rules = append(rules, rule{name, param})
		}
	}
	return rules
}

// below are the rules of the elements.
func below(rules []rule) []rule {
	inKeys := false
	for i, r := range rules {
		if r.name == "dive" {
			rest := rules[i+1:]
			for j, k := range rest {
				inKeys = inKeys || k.name == "keys"
				if k.name == "endkeys" {
					return rest[j+1:]
				}
			}
			return rest
		}
	}
	return nil
}

// own are the rules up to dive.
func own(rules []rule) []rule {
	for i, r := range rules {
		if r.name == "dive" {
			return rules[:i]
		}
	}
	return rules
}

// steps cuts a Go path such as Expect.Status[0] into Expect, Status, [0].
var steps = regexp.MustCompile(`\[[^\]]*\]|[^.\[\]]+`)

// ruleOf is the rules at a path of Go names below a struct.
func (r *rules) ruleOf(t reflect.Type, goPath string) tagged {
	t = deref(t)
	at := tagged{typ: t}
	for _, step := range steps.FindAllString(goPath, -1) {
		switch {
		case strings.HasPrefix(step, "[") && hasElements(at.typ):
			at.typ, at.rules = deref(at.typ.Elem()), below(at.rules)
		case at.typ.Kind() == reflect.Struct:
			f, ok := at.typ.FieldByName(step)
			if !ok {
				return at
			}
			at = tagged{typ: deref(f.Type), rules: parseRules(f.Tag.Get("validate")), in: r.walk.layouts.of(at.typ), like: f.Tag.Get("example")}
		}
	}
	return at
}

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

func hasElements(t reflect.Type) bool {
	return t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Array
}

// had says what stands at the place, for a rule about it.
func (t tagged) had(at place) string {
	switch {
	case at.isList():
		return "has " + probe.Count(len(at.node.Content), "element")
	case at.isMap():
		return "has " + probe.Count(len(at.node.Content)/2, "key")
	}
	return "is " + what(at)
}

// hint is what was probably meant, or empty.
func (t tagged) hint(at place) string {
	words := t.words()
	if len(words) == 0 || !at.isScalar() || !strings.ContainsFunc(at.node.Value, unicode.IsLetter) {
		return ""
	}
	for _, word := range switches[strings.ToLower(at.node.Value)] {
		if slices.Contains(words, word) {
			return "; did you mean " + word + ofSwitch(word)
		}
	}
	return didYouMean(at.node.Value, words)
}

// switches are the words that a tool which reads YAML 1.1 makes a boolean of.
var switches = map[string][]string{
	"false": {"off", "no", "never", "none"}, "no": {"off", "never", "none"}, "off": {"no", "never", "none"},
	"true": {"on", "yes"}, "yes": {"on"}, "on": {"yes"},
}

// ofSwitch ends the hint: a word that such a tool would write back as a boolean needs quotes.
func ofSwitch(word string) string {
	if switches[word] == nil {
		return "?"
	}
	return `? Write "` + word + `" in quotes where a tool makes a boolean of it`
}

// words are the values of a oneof rule; empty when there is none.
func (t tagged) words() []string {
	for _, r := range own(t.rules) {
		if r.name == "oneof" {
			return oneOf(r.param)
		}
	}
	return nil
}

// quotedWord is a value of a oneof rule, which may stand in single quotes.
var quotedWord = regexp.MustCompile(`'[^']*'|\S+`)

func oneOf(param string) []string {
	words := quotedWord.FindAllString(param, -1)
	for i := range words {
		words[i] = strings.Trim(words[i], "'")
	}
	return words
}

// bounds are the least and the greatest value; empty is none.
func (t tagged) bounds() (least, most string) {
	for _, r := range own(t.rules) {
		switch r.name {
		case "min", "gte":
			least = r.param
		case "max", "lte":
			most = r.param
		case "len":
			least, most = r.param, r.param
		}
	}
	return least, most
}
