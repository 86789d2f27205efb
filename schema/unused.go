package schema

import (
	"fmt"
	"slices"
)

// This file warns of what is declared and does nothing.

// placedProfile is a profile with the place of its name, and the file that declares it.
type placedProfile struct {
	*profile
	key place
	doc *document
}

// adviseUnused warns of profiles that no probe uses, and judges them: nobody else does. Those of a file
// without probes of its own are for the files that include it. Beside problems there are no such warnings:
// one of those may be why.
func (l *loader) adviseUnused() {
	wrong := l.problems.problems.kept > 0
	for _, p := range l.allProfiles {
		if p.used || p.doc.blind || p.doc.library {
			continue
		}
		if !wrong {
			l.problems.warn(p.key, false, RuleUnused, "is used by no probe, so that its values hold nowhere; want use: "+p.name+" in a probe, or the profile left out")
		}
		if p.at.isMap() {
			p.judge(wrong)
		}
	}
}

// judge says what is wrong with a profile beside what each of its values is by itself.
func (p placedProfile) judge(wrong bool) {
	p.doc.walk.bad = nil
	for _, e := range p.at.entries() {
		if _, isKind := p.doc.kinds[e.name]; !isKind {
			p.doc.notFilled(e.value)
		}
	}
	for _, b := range p.blocks {
		if !wrong {
			p.owed(b)
		}
	}
}

// notFilled reports, below a common key of a profile, what is to be filled in and would be shown.
func (d *document) notFilled(at place) {
	switch {
	case at.isMap():
		for _, e := range at.entries() {
			d.notFilled(e.value)
		}
	case at.isList():
		for i := range at.node.Content {
			d.notFilled(at.element(i))
		}
	case at.isScalar():
		list, _ := parts(at.node.Value)
		for _, p := range list {
			if p.kind == filledPart {
				d.walk.problem(at, RulePublic, "holds ${"+beforeDefault(p.text)+"}"+notPublic)
				return
			}
		}
	}
}

// owed warns of what the kind says of the values that a block has. What is filled in, or is not there, is
// not judged: a probe that uses the profile may say it.
func (p placedProfile) owed(b profileBlock) {
	d, index := p.doc, newIndex(b.at)
	defer d.walk.filling(&filling{loose: true})()
	without := &definition{declaration: &declaration{document: d}, common: d.base, filled: &filling{}}
	for _, f := range b.settings.Check(without.env()) {
		at := index.find(f.Place)
		if !f.Warning && at.exact && at.isScalar() && !d.walk.later(at.place) {
			d.problems.warn(at.place, false, ruleOf(f), f.Text)
		}
	}
}

// adviseDisabled warns when there are probes and all of them are disabled.
func (l *loader) adviseDisabled() {
	if len(l.set.Probes) > 0 || len(l.set.definitions) == 0 || l.problems.problems.kept > 0 {
		return
	}
	first, n := l.set.definitions[0], len(l.set.definitions)
	all := "and so nothing will be probed"
	if n > 1 {
		all = fmt.Sprintf("and all %d probes are disabled: nothing will be probed", n)
	}
	l.problems.warn(first.declared("enabled").place, false, RuleNoProbes, "is false, "+all)
}

// Disabled are the probes that the files declare and disable: by name, where that is said, as
// file:line:column.
func (s *Set) Disabled() map[string]string {
	disabled := map[string]string{}
	for _, d := range s.definitions {
		if !d.common.Enabled {
			disabled[d.name] = d.declared("enabled").pos().String()
		}
	}
	return disabled
}

// Names are the names of all probes that the files declare, disabled ones too, sorted.
func (s *Set) Names() []string {
	names := make([]string, 0, len(s.definitions))
	for _, d := range s.definitions {
		names = append(names, d.name)
	}
	slices.Sort(names)
	return names
}
