package metrics

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"sonde/probe"
)

// selection says which series a scrape wants. The zero value is all.
type selection struct {
	some           bool // some of them only: those that the other fields name
	probes, groups map[string]bool
	process        bool
	families       map[string]bool // nil is every one
}

// selected reads a selection from the query of a URL: probe, group and process choose series, of which a
// probe needs one, and name[] families, as client_golang has it. Other keys are not looked at.
func selected(query string) (*selection, error) {
	q, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("reading the query %q: %w", query, err)
	}
	s := &selection{
		probes: set(q["probe"]), groups: set(q["group"]), process: q.Has("process"), families: set(q["name[]"]),
	}
	s.some = s.probes != nil || s.groups != nil || s.process
	return s, nil
}

// set is nil of no names.
func set(names []string) map[string]bool {
	var m map[string]bool
	for _, name := range names {
		if m == nil {
			m = make(map[string]bool, len(names))
		}
		m[name] = true
	}
	return m
}

// takes reports whether the series of a probe are wanted.
func (s *selection) takes(p *probe.Probe) bool {
	return !s.some || s.probes[p.Name] || s.groups[p.Group]
}

// takesProcess reports whether the series of no probe are wanted.
func (s *selection) takesProcess() bool { return !s.some || s.process }

// takesFamily reports whether a family is wanted.
func (s *selection) takesFamily(name string) bool { return s.families == nil || s.families[name] }

// has reports whether there is something of what is wanted.
func (r *Recorder) has(wanted *selection) bool {
	if wanted.takesProcess() {
		return true
	}
	for name := range wanted.probes {
		if _, ok := r.states.Load(name); ok {
			return true
		}
	}
	return wanted.groups != nil && slices.ContainsFunc(r.inOrder(), func(s *state) bool { return wanted.takes(s.probe.Load()) })
}

// String names the probes and groups that are wanted, sorted, and not all of very many.
func (s *selection) String() string {
	var names []string
	for name := range s.probes {
		names = append(names, fmt.Sprintf("the name %q", name))
	}
	for name := range s.groups {
		names = append(names, fmt.Sprintf("the group %q", name))
	}
	slices.Sort(names)
	if most := 10; len(names) > most {
		names = append(names[:most], "others")
	}
	return strings.Join(names, ", ")
}
