package schema

import (
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"
)

// rules holds a definition to what one field may hold (the validate tags) and to what fields owe each
// other.
type rules struct {
	problems *collector
	walk     *walker
	tags     *validator.Validate
	fine     map[string]bool // common values without a fault, as canon writes them
	buf      []byte
}

func newRules(c *collector, w *walker) *rules {
	r := &rules{problems: c, walk: w, tags: validator.New(validator.WithRequiredStructEnabled()), fine: map[string]bool{}}
	r.tags.RegisterTagNameFunc(yamlName)
	return r
}

// shape runs the validate tags of a struct that was decoded from a mapping, and says whether none was
// broken. What has a problem already is not judged; neither is, where values are inherited, what the
// mapping does not hold: it was judged where it stands.
func (r *rules) shape(at place, settings any, inherits bool) bool {
	return r.shapeIn(func() *index { return newIndex(at) }, settings, inherits)
}

// shapeIn is shape where the places come from several mappings.
func (r *rules) shapeIn(places func() *index, settings any, inherits bool) bool {
	if r.problems.hopeless() {
		return false
	}
	faults, ok := r.tags.Struct(settings).(validator.ValidationErrors)
	if !ok {
		return true
	}
	fine := true
	index := places()
	for _, f := range faults {
		_, rel, _ := strings.Cut(f.Namespace(), ".")
		_, goPath, _ := strings.Cut(f.StructNamespace(), ".")
		rule := r.ruleOf(reflect.TypeOf(settings), goPath)
		where := index.find(rel)
		if r.walk.later(where.place) || r.walk.standsIn(where.path) {
			continue
		}
		fine = (inherits && !where.exact || r.fault(where, rule, f)) && fine
	}
	return fine
}

// fault puts one broken tag into words. It always says false.
func (r *rules) fault(at found, rule tagged, f validator.FieldError) bool {
	if r.walk.isBad(at.path) {
		return false
	}
	if !at.exact {
		return r.walk.problem(at.place, RuleMissingKey, "is missing, want "+rule.wanted(r.walk.layouts, f))
	}
	return r.walk.problem(at.place, RuleValue, rule.had(at.place)+", want "+rule.wanted(r.walk.layouts, f)+rule.hint(at.place))
}

// found is a place that was looked for.
type found struct {
	place
	exact bool // else the place is that of the mapping or list in which it is missing
}

// index finds places by their path below a block. It is made when a block has a fault, by one walk.
type index struct {
	root   place
	places map[string]place
}

func newIndex(root place) *index {
	x := &index{root: root, places: map[string]place{}}
	x.fill("", root)
	return x
}

func (x *index) fill(as string, at place) {
	x.places[as] = at
	switch {
	case at.isMap():
		for _, e := range at.entries() {
			x.fill(join(as, e.name), e.value)
		}
	case at.isList():
		for i := range at.node.Content {
			child := at.element(i)
			x.fill(join(as, child.path.last()), child)
		}
	}
}

func join(before, name string) string {
	if before == "" {
		return name
	}
	return before + "." + name
}

// flat turns the ways in which paths are written into one: a[0].b, a.0.b, a["b"].
var flat = strings.NewReplacer(`["`, ".", `"]`, "", "[", ".", "]", "")

// find is the place at a path, or the nearest above it that is there.
func (x *index) find(rel string) found {
	as := flat.Replace(rel)
	for rest := as; ; {
		if at, ok := x.places[rest]; ok {
			exact := rest == as || at.isScalar()
			if !exact {
				at.path = &path{parent: x.root.path, key: rel, raw: true}
			}
			return found{place: at, exact: exact}
		}
		i := strings.LastIndexByte(rest, '.')
		if i < 0 {
			rest = ""
			continue
		}
		rest = rest[:i]
	}
}
