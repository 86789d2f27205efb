package schema

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
)

// targetsFrom is where targets stand that other programs write.
type targetsFrom struct {
	// Files with targets in Prometheus' file_sd form, in YAML or JSON: paths or patterns, one or a list.
	File texts `yaml:"file" example:"targets/*.yaml" alone:"true"`
}

// targetsFrom reads the targets of the files that a probe names.
func (d *document) targetsFrom(at place) (list []*target, fine bool) {
	var from targetsFrom
	if !d.walk.decode(at, reflect.ValueOf(&from).Elem()) {
		return nil, false
	}
	file := at.find("file")
	if !file.exists() {
		return nil, d.walk.problem(at.missing("file"), RuleMissingKey, "is missing, want a path or pattern such as targets/*.yaml")
	}
	fine = true
	d.eachFile(file, func(at place, _, name string) {
		f := d.targetFile(at, name)
		list, fine = append(list, f.list...), fine && f.fine
	})
	list = once(list)
	if len(list) == 0 && fine {
		d.problems.warn(file, false, RuleNoTargets, "leads to no target, so that nothing is probed")
	}
	return list, fine
}

// What a file of targets should be, and what is said of an empty one, too.
const (
	wantGroups  = "a list of groups such as - targets: [eu.example.com]"
	emptyGroups = "; write [] where there is none"
)

// targetGroups is what a file of targets holds.
type targetGroups struct {
	list []*target
	fine bool
}

// targetFile reads one file, once for the whole set.
func (d *document) targetFile(at place, name string) targetGroups {
	key := identity(name)
	if f, ok := d.targetFiles[key]; ok {
		return f
	}
	f := targetGroups{}
	if data, ok := d.reach(at, name); ok {
		doc := &document{loader: d.loader, name: name, from: "used at " + at.pos().from(name), verbatim: true, wanted: wantGroups + emptyGroups}
		f = doc.readGroups(data)
	}
	d.targetFiles[key] = f
	return f
}

// readGroups reads the text of a file of targets. It is taken as it stands: other programs write it,
// and it must not reach the environment.
func (d *document) readGroups(data []byte) targetGroups {
	d.note(d.name, data)
	if strings.HasSuffix(d.name, ".json") {
		data = bytes.ReplaceAll(data, []byte("\t"), []byte(" ")) // which mean the same there, but not in YAML
	}
	// Of an empty text nothing is known: so is a file left by who has just begun to write it, or has found the disk full.
	root := d.parse(data)
	if root == nil || !d.scan(root) {
		return targetGroups{}
	}
	at := place{node: root, doc: d}.resolved()
	if !at.isList() {
		want := wantGroups
		if at.isNull() {
			want += emptyGroups
		}
		d.textual(root.Line, root.Column, RuleTarget, "the file is "+what(at)+", want "+want)
		return targetGroups{}
	}
	groups := targetGroups{fine: true}
	for i := range at.node.Content {
		groups.fine = d.targetGroup(&groups, at.element(i)) && groups.fine
	}
	return groups
}

// group is one group of a file of targets.
type group struct {
	Targets []string          `yaml:"targets"`
	Labels  map[string]string `yaml:"labels"`
}

// targetGroup reads one group.
func (d *document) targetGroup(to *targetGroups, at place) bool {
	var g group
	if !d.walk.decode(at, reflect.ValueOf(&g).Elem()) {
		return false
	}
	fine := true
	labels, shared := at.find("labels"), &target{fields: map[string]fieldValue{}}
	if labels.exists() {
		fine = d.groupLabels(shared, labels)
	}
	list := at.find("targets")
	if !list.exists() {
		return d.walk.problem(at.missing("targets"), RuleMissingKey, "is missing, want a list of texts")
	}
	for i, value := range g.Targets {
		one := list.element(i)
		t := &target{at: one, labels: shared.labels, lax: true, exported: shared.exported, fields: map[string]fieldValue{}}
		for name, field := range shared.fields {
			t.fields[name] = field
		}
		t.fields[""] = fieldValue{written{text: value, shown: value}, one, nil, nil}
		fine = d.nameTarget(t, one) && fine
		to.list = append(to.list, t)
	}
	return fine
}

// prometheusOwn are labels that mean something to Prometheus alone; a probe does not bear them.
func prometheusOwn(name string) bool {
	return strings.HasPrefix(name, "__") || name == "job" || name == "instance"
}

// groupLabels reads the labels of a group: each is a field, too.
func (d *document) groupLabels(t *target, at place) bool {
	fine := true
	borne := *at.node
	borne.Content = nil
	for _, e := range at.entries() {
		t.fields[e.name] = fieldValue{written{text: e.value.node.Value, shown: e.value.node.Value}, e.value, nil, nil}
		t.fields["labels."+e.name] = t.fields[e.name]
		if prometheusOwn(e.name) {
			continue
		}
		key := e.key.node
		if slices.Contains(reservedLabels, e.name) {
			key = t.export(at, e)
		} else {
			fine = d.rules.label(e) && fine
		}
		borne.Content = append(borne.Content, key, e.value.node)
	}
	if len(borne.Content) > 0 {
		t.setLabels(at, place{node: &borne, path: at.path, via: at.via, doc: at.doc})
	}
	return fine
}
