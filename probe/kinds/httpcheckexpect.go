package kinds

import (
	"fmt"
	"slices"

	"golang.org/x/net/http/httpguts"

	"sonde/probe"
)

// checkExpect reports expectations that contradict themselves, and warns of those that nothing meets.
func (s *HTTP) checkExpect() (faults []probe.Fault) {
	e := &s.Expect
	switch {
	case len(e.Status) == 0:
		faults = append(faults, probe.Fault{Place: "expect.status", Text: "is [], want a status: without one nothing passes", Warning: true})
	case s.Redirects > 0 && e.Status.only(isRedirect):
		faults = append(faults, probe.Fault{Place: "expect.status", Warning: true,
			Text: fmt.Sprintf("is %s, but redirects are followed, want redirects: none beside it", e.Status)})
	}
	for _, name := range sortedKeys(e.Headers) {
		faults = append(faults, e.Headers[name].check(name)...)
	}
	return append(faults, s.checkBodyRules()...)
}

// check reports what the rules of one header owe each other.
func (r HeaderRule) check(name string) []probe.Fault {
	place := "expect.headers." + name
	others := r.Equals != "" || r.Contains != "" || r.Matches != ""
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return []probe.Fault{{Place: place, Text: "has a name that no header can have, want letters, digits and hyphens"}}
	case r.Absent && others:
		return []probe.Fault{{Place: place + ".absent", Text: "is true beside another rule, want it alone"}}
	case !r.Absent && !others:
		return []probe.Fault{{Place: place, Text: "has no rule, want a text, or one of equals, contains, matches, absent"}}
	}
	return nil
}

func (s *HTTP) checkBodyRules() (faults []probe.Fault) {
	rules := &s.Expect.Body
	for i, text := range rules.Contains {
		if slices.Contains(rules.NotContains, text) {
			faults = append(faults, probe.Fault{Place: fmt.Sprintf("expect.body.contains[%d]", i), Text: fmt.Sprintf("is %q, which is in not_contains, too", text)})
		}
		if Size(len(text)) > s.Expect.MaxBody {
			faults = append(faults, probe.Fault{Place: fmt.Sprintf("expect.body.contains[%d]", i), Text: "is longer than max_body " + s.Expect.MaxBody.String()})
		}
	}
	for i, pattern := range rules.Matches {
		if slices.Contains(rules.NotMatches, pattern) {
			faults = append(faults, probe.Fault{Place: fmt.Sprintf("expect.body.matches[%d]", i), Text: fmt.Sprintf("is %q, which is in not_matches, too", pattern)})
		}
	}
	for i, text := range rules.NotContains {
		if text == "" {
			faults = append(faults, probe.Fault{Place: fmt.Sprintf("expect.body.not_contains[%d]", i), Text: "is empty, want a text: every body contains the empty one"})
		}
	}
	if s.Method == "HEAD" && rules.any() {
		faults = append(faults, probe.Fault{Place: "expect.body", Text: "cannot hold: a response to HEAD has no body"})
	}
	return faults
}
