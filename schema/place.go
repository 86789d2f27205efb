package schema

import (
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"
)

// place is a node of a file and how it was reached. Aliases are resolved: node never is one.
type place struct {
	node *yaml.Node
	path *path
	via  *pos // the first alias, profile or target on the way, nil when there was none
	doc  *document
}

// path is how a value is called in the words of the file; nil is the file itself.
type path struct {
	parent *path
	key    string
	index  int  // of an element, when key is empty
	raw    bool // key is a path already
}

// plainKey is a key that needs no quotes within a path.
var plainKey = regexp.MustCompile(`^([A-Za-z0-9_-]{1,60}|<<)$`)

// String is the path as in probes[0].http.url.
func (p *path) String() string {
	if p == nil {
		return ""
	}
	before := p.parent.String()
	switch {
	case p.raw && before == "":
		return p.key
	case p.raw:
		return before + "." + p.key
	case p.key == "":
		return before + "[" + strconv.Itoa(p.index) + "]"
	case !plainKey.MatchString(p.key):
		return before + "[" + strconv.Quote(clip(p.key)) + "]"
	case before == "":
		return p.key
	}
	return before + "." + p.key
}

// last is the last step alone: a key, or the number of an element.
func (p *path) last() string {
	if p.key == "" {
		return strconv.Itoa(p.index)
	}
	return p.key
}

// noun is what the last step is called.
func (p *path) noun() string {
	if p.key == "" {
		return "the element"
	}
	return "the key"
}

// exists is true of a place that is in a file.
func (p place) exists() bool { return p.node != nil }

func (p place) pos() pos { return pos{p.doc.name, p.node.Line, p.node.Column} }

// under is the value of a key.
func (p place) under(key string, n *yaml.Node) place {
	return place{node: n, path: &path{parent: p.path, key: key}, via: p.via, doc: p.doc}.resolved()
}

// element is an element of a list.
func (p place) element(i int) place {
	return place{node: p.node.Content[i], path: &path{parent: p.path, index: i}, via: p.via, doc: p.doc}.resolved()
}

// at is another node under the same name, such as the key of a value.
func (p place) at(n *yaml.Node) place {
	p.node = n
	return p
}

// missing is the place of a key that is not there.
func (p place) missing(key string) place {
	p.path = &path{parent: p.path, key: key}
	return p
}

// resolved follows an alias. There are no loops: the tree was scanned.
func (p place) resolved() place {
	for p.node.Kind == yaml.AliasNode {
		if p.via == nil {
			at := p.pos()
			p.via = &at
		}
		p.node = p.node.Alias
	}
	return p
}

func (p place) isNull() bool   { return p.node.Kind == yaml.ScalarNode && p.node.Tag == "!!null" }
func (p place) isScalar() bool { return p.node.Kind == yaml.ScalarNode }
func (p place) isMap() bool    { return p.node.Kind == yaml.MappingNode }
func (p place) isList() bool   { return p.node.Kind == yaml.SequenceNode }

// isPlain is true of a scalar without quotes.
func (p place) isPlain() bool {
	return p.isScalar() && p.node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// entry is a key of a mapping and what it leads to.
type entry struct {
	name  string
	key   place // the key itself, under the value's name
	value place
}

// entries are the keys of a mapping, merge keys resolved: what the mapping says itself comes first
// and wins, then what it merges, in order.
func (p place) entries() []entry {
	s := entrySet{list: make([]entry, 0, len(p.node.Content)/2)}
	s.addOf(p)
	return s.list
}

// entrySet gathers entries; the first of a name wins.
type entrySet struct {
	list  []entry
	index map[string]int // used once the list is long
}

func (s *entrySet) addOf(p place) {
	var merged []place
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		key := p.node.Content[i]
		if isMerge(key) {
			merged = append(merged, p.under("<<", p.node.Content[i+1]))
			continue
		}
		name, ok := keyName(key)
		if ok && !s.has(name) {
			value := p.under(name, p.node.Content[i+1])
			s.add(entry{name: name, key: place{key, value.path, p.via, p.doc}, value: value})
		}
	}
	for _, m := range merged {
		s.merge(m, p.path)
	}
}

// merge adds what a merge key leads to: a mapping, or a list of mappings. What is neither was reported
// when the tree was scanned.
func (s *entrySet) merge(m place, as *path) {
	m.path = as
	switch {
	case m.isMap():
		s.addOf(m)
	case m.isList():
		for i := range m.node.Content {
			if one := m.element(i); one.isMap() {
				one.path = as
				s.addOf(one)
			}
		}
	}
}

// longList is from where on a map finds names faster than looking through the list.
const longList = 16

func (s *entrySet) has(name string) bool {
	if s.index != nil {
		_, ok := s.index[name]
		return ok
	}
	for i := range s.list {
		if s.list[i].name == name {
			return true
		}
	}
	return false
}

func (s *entrySet) add(e entry) {
	s.list = append(s.list, e)
	switch {
	case s.index != nil:
		s.index[e.name] = len(s.list) - 1
	case len(s.list) > longList:
		s.index = make(map[string]int, 2*longList)
		for i := range s.list {
			s.index[s.list[i].name] = i
		}
	}
}

// isMerge is true of the key <<, unless it is in quotes.
func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.Tag == "!!merge" }

// keyName is the text of a key; only scalars can be one.
func keyName(key *yaml.Node) (string, bool) {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	return key.Value, key.Kind == yaml.ScalarNode
}

// find is the value at a path of keys below a mapping; it does not exist when a key is not there.
func (p place) find(keys ...string) place {
	for _, key := range keys {
		if !p.exists() || !p.isMap() {
			return place{}
		}
		p = p.get(key)
	}
	return p
}

// get is the value of one key, as entries has it, without making the list.
func (p place) get(key string) place {
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		if name, ok := keyName(p.node.Content[i]); ok && name == key && !isMerge(p.node.Content[i]) {
			return p.under(key, p.node.Content[i+1])
		}
	}
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		if isMerge(p.node.Content[i]) {
			for _, e := range p.entries() {
				if e.name == key {
					return e.value
				}
			}
		}
	}
	return place{}
}
