package schema

import "slices"

// This file prints limits of weaker layers that the probes' own always beat. Among the probe's own they
// would be warned of, and left out they would be other ones; so they stay in the weaker layer.

// beatenDefaults are such limits: of each the first that there is, unless the built-in one, which a probe
// says by saying nothing, has to hold elsewhere.
func beatenDefaults(probes []Effective) (beaten []*Value) {
	var builtIn []string
	for i := range probes {
		for v := range idleLimits(probes[i].Values) {
			if v.Origin.Layer == LayerBuiltIn {
				builtIn = append(builtIn, v.Path)
			} else if !slices.ContainsFunc(beaten, func(b *Value) bool { return b.Path == v.Path }) {
				beaten = append(beaten, v)
			}
		}
	}
	return slices.DeleteFunc(beaten, func(b *Value) bool { return slices.Contains(builtIn, b.Path) })
}

// idleLimits are the limits among a probe's values that never fire.
func idleLimits(values []Value) func(yield func(*Value) bool) {
	return func(yield func(*Value) bool) {
		for i := range values {
			for j := range values[i].Values {
				if v := &values[i].Values[j]; v.Idle && !yield(v) {
					return
				}
			}
		}
	}
}

// defaults prints them.
func (p *printer) defaults() {
	if len(p.beaten) == 0 {
		return
	}
	p.text.WriteString("defaults:\n  timeout:  # what the probes' own limits always beat\n")
	for _, v := range p.beaten {
		p.text.WriteString("    " + v.Key + ":")
		p.value(4, v)
	}
}

// silent is true of a limit that holds though it is printed as a comment, and of a mapping of nothing else.
func (p *printer) silent(v *Value) bool {
	switch {
	case !v.Idle:
		return false
	case v.Form == Mapping:
		return !slices.ContainsFunc(v.Values, func(of Value) bool { return !p.silent(&of) })
	case v.Origin.Layer == LayerBuiltIn:
		return true
	}
	return slices.ContainsFunc(p.beaten, func(b *Value) bool { return b.Path == v.Path && b.Text == v.Text })
}
