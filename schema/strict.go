package schema

import (
	"reflect"
	"strings"
	"sync"

	"sonde/probe"
)

// Decoded is a file that declares something else than probes, strictly decoded.
type Decoded struct{ places func() *index }

// Checker is a struct that says what its fields owe each other. The places of the faults are paths from
// the top of the file.
type Checker interface{ Check() []probe.Fault }

// Decode reads the text of a file of another shape than ours into the struct that into points to, as
// strictly as files of probes are read and in the same words: by the tags of its fields and the rules of
// probe/value.go, and by Check where it is a Checker. What the file does not say keeps the value that it
// has; nothing is filled in. Name is what problems call the file. The error is Problems.
func Decode(name string, data []byte, into any) (*Decoded, error) {
	l := newLoader(World{}, nil)
	d := &document{loader: l, name: name, verbatim: true, wanted: l.walk.layouts.wanted(reflect.TypeOf(into).Elem())}
	root := d.parse(data)
	if root == nil || !d.scan(root) {
		problems, _ := l.problems.sorted()
		return nil, problems
	}
	at := place{node: root, doc: d}
	doc := &Decoded{sync.OnceValue(func() *index { return newIndex(at) })}
	if !at.isMap() {
		d.textual(root.Line, root.Column, RuleType, "the file is "+what(at)+", want "+l.walk.layouts.wanted(reflect.TypeOf(into).Elem()))
	} else if l.walk.structure(at, reflect.ValueOf(into).Elem(), d.forAnchors(at, into)) && l.rules.shape(at, into, false) {
		if c, ok := into.(Checker); ok {
			for _, f := range c.Check() {
				l.walk.problem(doc.places().find(f.Place).place, RuleSettings, f.Text)
			}
		}
	}
	if problems, _ := l.problems.sorted(); len(problems) > 0 {
		return nil, problems
	}
	return doc, nil
}

// forAnchors lets keys pass that begin with x-: they are there for anchors.
func (d *document) forAnchors(at place, into any) func(entry) bool {
	return func(e entry) bool {
		return strings.HasPrefix(e.name, "x-") || d.walk.unknown(at, e, d.walk.layouts.of(reflect.TypeOf(into).Elem()).names)
	}
}

// Problem is a fault at its place: that of the value at f.Place, a path such as tests[0].want.verdict,
// or of the nearest above it that the file has.
func (d *Decoded) Problem(f probe.Fault) Problem {
	at := d.places().find(f.Place)
	p := finding{pos: at.pos(), rule: RuleSettings, path: at.path.String(), text: f.Text, warning: f.Warning}
	return p.problem()
}
