package schema

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"sonde/probe"
)

// target is one of the targets of a probe.
type target struct {
	// name is added to the probe's, after a dot.
	name string
	at   place
	// fields are what {{target.x}} can name; that without a name is {{target}}.
	fields map[string]fieldValue
	// labels is a mapping with the key labels alone; it does not exist when the target has none.
	labels place
	// lax is true of a target whose fields need not all be named.
	lax bool
	// exported are labels that are borne under another name; see targetFile.
	exported []exportedLabel
}

// fieldValue is a field of a target.
type fieldValue struct {
	written
	at      place
	secrets probe.Secrets
	origins []probe.Filled
}

// targetList reads the targets that a probe declares itself. Of those that are not right it says why, and
// that not all is fine.
func (d *document) targetList(at place) (list []*target, fine bool) {
	if !at.isList() {
		return nil, d.walk.problem(at, RuleType, "is "+what(at)+", want a list of targets, as in [eu.example.com, us.example.com]")
	}
	if len(at.node.Content) == 0 {
		d.problems.warn(at, false, RuleNoTargets, "is an empty list, so that nothing is probed")
	}
	fine = true
	for i := range at.node.Content {
		if t := d.target(at.element(i)); t != nil {
			list = append(list, t)
		} else {
			fine = false
		}
	}
	return list, fine
}

// target reads one target; nil when something about it is wrong.
func (d *document) target(at place) *target {
	t := &target{at: at, fields: map[string]fieldValue{}}
	fine := true
	switch {
	case at.isMap():
		for _, e := range at.entries() {
			fine = d.targetField(t, e) && fine
		}
	default:
		fine = d.field(t, "", at)
	}
	if !fine || !d.nameTarget(t, at) {
		return nil
	}
	return t
}

// targetField reads one key of a target.
func (d *document) targetField(t *target, e entry) bool {
	switch e.name {
	case "labels":
		return d.targetLabels(t, e)
	case "target":
		return d.field(t, "", e.value)
	case "name":
		return d.targetName(t, e.value)
	}
	if !targetRef.MatchString("target." + e.name) {
		return d.walk.problem(e.key, RuleTarget, "is no name of a field, want letters, digits, _ and -")
	}
	return d.field(t, e.name, e.value)
}

// field reads a value that {{target.x}} can name.
func (d *document) field(t *target, name string, at place) bool {
	if at.isNull() || !at.isScalar() {
		return d.walk.problem(at, RuleTarget, "is "+what(at)+", want text")
	}
	f := &filling{}
	defer d.walk.filling(f)()
	d.walk.example = ""
	x, ok := d.walk.text(at)
	if ok && x.text == "" {
		return d.walk.problem(at, RuleTarget, "is "+what(at)+", want text")
	}
	t.fields[name] = fieldValue{x, at, f.secrets, f.origins}
	return ok
}

// targetName reads the name that a target gives itself.
func (d *document) targetName(t *target, at place) bool {
	var name probeName
	if !d.walk.decode(at, reflect.ValueOf(&name).Elem()) {
		return false
	}
	t.name = string(name)
	t.fields["name"] = fieldValue{written{text: t.name, shown: t.name}, at, nil, nil}
	return true
}

// targetLabels notes labels; they are read like those of the probe, over which they are laid.
func (d *document) targetLabels(t *target, e entry) bool {
	if !e.value.isMap() {
		return d.walk.problem(e.value, RuleType, "is "+what(e.value)+", want a mapping of names to values")
	}
	fine := true
	for _, label := range e.value.entries() {
		fine = d.rules.label(label) && d.field(t, "labels."+label.name, label.value) && fine
	}
	t.setLabels(e.key, e.value)
	return fine
}

// setLabels makes the mapping that is laid over the probe.
func (t *target) setLabels(key, labels place) {
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: key.node.Line, Column: key.node.Column}
	node.Content = []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: "labels"}, labels.node}
	t.labels = place{node: node, path: labels.path.parent, via: labels.via, doc: labels.doc}
}

// nameTarget gives a name to a target that has none: its value, made legal.
func (d *document) nameTarget(t *target, at place) bool {
	if t.name != "" {
		return true
	}
	value, ok := t.fields[""]
	switch {
	case !ok:
		return d.walk.problem(at, RuleTarget, "has neither name nor target, want a name, which becomes the end of the probe's")
	case value.secret:
		return d.walk.problem(at, RuleTarget, "is filled in, so that no name can be made of it; want a name beside it, as in {name: eu, target: …}")
	}
	if t.name = slug(value.text); t.name == "" {
		return d.walk.problem(at, RuleTarget, "is "+shown(nil, value.shown, false)+", of which no name can be made; want a name beside it, as in {name: eu, target: …}")
	}
	t.fields["name"] = fieldValue{written{text: t.name, shown: t.name}, at, nil, nil}
	return true
}

var (
	scheme  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
	illegal = regexp.MustCompile(`[^a-z0-9_.]+`)
)

// slug makes a name of a value: in lower case, without a URL's scheme, userinfo and fragment, and without
// parameters of its query that look like secrets, with - for what no name may hold.
func slug(value string) string {
	s := value
	if prefix := scheme.FindString(value); prefix != "" {
		s = replaceSecretPairs(value, func(string) string { return "" })[len(prefix):]
		s, _, _ = strings.Cut(s, "#")
		rest, query, _ := strings.Cut(s, "?")
		host, path, _ := strings.Cut(rest, "/")
		s = host[strings.LastIndexByte(host, '@')+1:] + "/" + path + "?" + query
	}
	return strings.Trim(illegal.ReplaceAllString(strings.ToLower(s), "-"), "-_.")
}

// hint is what was probably meant by a field that is not there.
func (t *target) hint(name string) string {
	if at := t.fields[""].at; len(t.fields) == 2 && at.exists() && at.node == t.at.node {
		return "; a target with fields is a mapping, as in {name: " + t.name + ", " + clip(name) + ": …}"
	}
	var names []string
	for _, field := range sortedFields(t) {
		names = append(names, fieldRef(field))
	}
	if hint := didYouMean(fieldRef(name), names); hint != "" || len(names) > 8 {
		return hint
	}
	return "; want " + alternatives(names)
}

// unnamed reports fields that no value of the probe names: they do nothing, and so are misspelt.
func (d *document) unnamed(t *target, named map[string]bool) bool {
	fine := true
	if t.lax {
		return true
	}
	for _, name := range sortedFields(t) {
		if name == "name" || strings.HasPrefix(name, "labels.") || named[name] {
			continue
		}
		hint := didYouMean(name, []string{"name", "labels", "target"})
		if hint == "" {
			hint = "; want " + fieldRef(name) + " in one of the probe's values"
		}
		fine = d.walk.problem(t.fields[name].at, RuleUnusedField, fmt.Sprintf("is named by no value of the probe%s", hint))
	}
	return fine
}

func sortedFields(t *target) []string {
	names := make([]string, 0, len(t.fields))
	for name := range t.fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
