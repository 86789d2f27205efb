package metrics

import (
	"fmt"
	"maps"
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

// queryKeys are the keys of a query that mean something.
var queryKeys = []string{"probe", "group", "process", "name[]"}

// selected reads a selection from the query of a URL: probe, group and process choose series, of which a
// probe needs one, and name[] families, as client_golang has it. Another key is an error.
func selected(query string) (*selection, error) {
	q, err := url.ParseQuery(query)
	if err != nil {
		return nil, fmt.Errorf("reading the query %q: %w", query, err)
	}
	for _, key := range slices.Sorted(maps.Keys(q)) {
		if !slices.Contains(queryKeys, key) {
			return nil, fmt.Errorf("the query has %q, want any of %s", key, strings.Join(queryKeys, ", "))
		}
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
		if r.state(name) != nil {
			return true
		}
	}
	return wanted.groups != nil && slices.ContainsFunc(r.inOrder(), func(s *state) bool { return wanted.takes(s.probe.Load()) })
}

// missing says that there is nothing of what is wanted, and who runs a probe that is another's.
func (r *Recorder) missing(wanted *selection) string {
	where := r.elsewhere.Load()
	if where == nil {
		return "there is no probe of " + wanted.String()
	}
	var others []string
	for _, name := range slices.Sorted(maps.Keys(wanted.probes)) {
		if is := (*where)(name); is != "" && len(others) < mostMissing {
			others = append(others, fmt.Sprintf("the probe %q runs on %s", name, is))
		}
	}
	if len(others) == 0 {
		return "this shard has no probe of " + wanted.String()
	}
	return strings.Join(others, ", ") + ", and not here"
}

// mostMissing bounds how many of those that are not here are named.
const mostMissing = 10

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
	if len(names) > mostMissing {
		names = append(names[:mostMissing], "others")
	}
	return strings.Join(names, ", ")
}
