package schema

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

const (
	// maxDepth bounds how deeply values nest, aliases expanded.
	maxDepth = 100
	// maxExpanded bounds what the values of a file amount to, aliases expanded. It is more than any text
	// can hold without aliases (maxMarks), and far more than people share by anchors.
	maxExpanded = 2*maxMarks + 1
)

// extent is what a node amounts to, aliases expanded.
type extent struct {
	count, depth int
	open         bool // the node is being looked at: an alias to it is a loop
}

// scanner looks once at every node of a file, as it stands in the text. What it finds holds under any
// key, so also under x-: the walk that follows sees only what is used.
type scanner struct {
	doc      *document
	anchored map[*yaml.Node]extent
	hopeless bool
}

// scan reports keys that stand twice, keys that are no text, merges of what is no mapping, and trees
// that cannot be walked; of those it says false.
func (d *document) scan(root *yaml.Node) bool {
	s := scanner{doc: d, anchored: map[*yaml.Node]extent{}}
	s.extent(place{node: root, doc: d})
	return !s.hopeless
}

// extent measures a node and all below it.
func (s *scanner) extent(at place) extent {
	if at.node.Kind == yaml.AliasNode {
		return s.alias(at)
	}
	if at.node.Anchor != "" {
		s.anchored[at.node] = extent{open: true}
	}
	e := extent{count: 1}
	switch at.node.Kind {
	case yaml.MappingNode:
		s.mapping(at, &e)
	case yaml.SequenceNode:
		for i, n := range at.node.Content {
			e.add(s.extent(place{node: n, path: &path{parent: at.path, index: i}, doc: s.doc}))
		}
	}
	e.depth++
	s.judge(at, e)
	if at.node.Anchor != "" {
		s.anchored[at.node] = e
	}
	return e
}

func (e *extent) add(child extent) {
	e.count = min(e.count+child.count, 1<<40)
	e.depth = max(e.depth, child.depth)
}

func (s *scanner) alias(at place) extent {
	e := s.anchored[at.node.Alias]
	if e.open {
		s.reject(at, RuleAliases, fmt.Sprintf("is *%s, which stands within &%s itself and so has no end", at.node.Value, at.node.Value))
		return extent{count: 1, depth: 1}
	}
	return e
}

// judge says once that a tree cannot be walked.
func (s *scanner) judge(at place, e extent) {
	switch {
	case e.depth > maxDepth:
		s.reject(at, RuleDeep, fmt.Sprintf("is nested more than %d levels deep, want less", maxDepth))
	case e.count > maxExpanded:
		s.reject(at, RuleAliases, fmt.Sprintf("amounts to more than %d values once its aliases are expanded, want less", maxExpanded-1))
	}
}

func (s *scanner) reject(at place, rule, text string) {
	if !s.hopeless {
		s.hopeless = true
		s.doc.problems.problem(at, rule, text)
	}
}

// mapping looks at the keys of a mapping, then at its values.
func (s *scanner) mapping(at place, e *extent) {
	keys := keySet{}
	for i := 0; i+1 < len(at.node.Content); i += 2 {
		key, value := at.node.Content[i], at.node.Content[i+1]
		name, ok := keyName(key)
		child := place{node: value, path: &path{parent: at.path, key: name}, doc: s.doc}
		switch first := keys.add(name, key); {
		case !ok:
			s.doc.problems.problem(at.at(key), RuleType, "has a key that is no text; "+noName(key))
			child.path.key = "?"
		case first != nil && isMerge(key):
			s.doc.problems.problem(child.at(key), RuleRepeatedKey, fmt.Sprintf("stands twice, first at line %d; want one, as in <<: [*a, *b]", first.Line))
		case first != nil:
			s.doc.problems.problem(child.at(key), RuleRepeatedKey, fmt.Sprintf("is set twice, first at line %d; want it once", first.Line))
		case isMerge(key):
			s.merge(child)
		}
		e.add(s.extent(child))
	}
}

// merge looks at what a merge key leads to.
func (s *scanner) merge(at place) {
	target := at.resolved()
	ok := target.isMap()
	if target.isList() {
		ok = true
		for i := range target.node.Content {
			ok = ok && target.element(i).isMap()
		}
	}
	if !ok {
		s.doc.problems.problem(at, RuleType, "is "+what(target)+", want an alias to a mapping, as in <<: *base, or a list of such")
	}
}

// noName guesses that {{ … }} was meant, which YAML reads as a mapping whose key is a mapping.
func noName(key *yaml.Node) string {
	if key.Kind == yaml.MappingNode && key.Style&yaml.FlowStyle != 0 {
		return "if {{ … }} is meant as text, put it in quotes"
	}
	return "want a name before the colon"
}

// keySet finds keys that stand twice.
type keySet struct {
	few  []*yaml.Node
	many map[string]*yaml.Node
}

// add returns the first key of that name, nil when this is it.
func (s *keySet) add(name string, key *yaml.Node) *yaml.Node {
	if s.many == nil {
		for _, k := range s.few {
			if n, _ := keyName(k); n == name && k.Kind == key.Kind && isMerge(k) == isMerge(key) {
				return k
			}
		}
		if s.few = append(s.few, key); len(s.few) > longList {
			s.many = map[string]*yaml.Node{}
			for _, k := range s.few {
				n, _ := keyName(k)
				s.many[n] = k
			}
		}
		return nil
	}
	if first := s.many[name]; first != nil {
		return first
	}
	s.many[name] = key
	return nil
}
