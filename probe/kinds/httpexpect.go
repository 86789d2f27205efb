package kinds

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"regexp"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// UnmarshalText takes the text that the header's value must equal.
func (r *HeaderRule) UnmarshalText(b []byte) error {
	if len(b) == 0 || !httpguts.ValidHeaderFieldValue(string(b)) {
		return errors.New("want the header's value, or a mapping with one of equals, contains, matches, absent")
	}
	*r = HeaderRule{Equals: string(b)}
	return nil
}

// any reports whether there is a rule.
func (r BodyRules) any() bool {
	return len(r.Contains)+len(r.NotContains)+len(r.Matches)+len(r.NotMatches) > 0
}

// headerCheck is the rules for one header, ready to use.
type headerCheck struct {
	name    string
	rule    HeaderRule
	matches *regexp.Regexp
}

// headerChecks makes rules ready, in an order that does not change.
func headerChecks(rules map[string]HeaderRule) []headerCheck {
	var checks []headerCheck
	for _, name := range sortedKeys(rules) {
		c := headerCheck{name: textproto.CanonicalMIMEHeaderKey(name), rule: rules[name]}
		if c.rule.Matches != "" {
			c.matches = regexp.MustCompile(string(c.rule.Matches))
		}
		checks = append(checks, c)
	}
	return checks
}

// wrong says what is wrong with the header, nil when nothing is.
func (c *headerCheck) wrong(h http.Header, s secrets) error {
	values := h[c.name]
	switch {
	case c.rule.Absent && len(values) == 0:
		return nil
	case c.rule.Absent:
		return fmt.Errorf("header %s is %q, want none", c.name, s.quotable([]byte(values[0])))
	case len(values) == 0:
		return fmt.Errorf("header %s is absent, want %s", c.name, c.want())
	}
	for _, value := range values {
		if c.holds(value) {
			return nil
		}
	}
	return fmt.Errorf("header %s is %q, want %s", c.name, s.quotable([]byte(values[0])), c.want())
}

// holds reports whether a value satisfies all rules.
func (c *headerCheck) holds(value string) bool {
	r := &c.rule
	return (r.Equals == "" || value == r.Equals) && strings.Contains(value, r.Contains) &&
		(c.matches == nil || c.matches.MatchString(value))
}

// want is what a value must be, in words.
func (c *headerCheck) want() string {
	var wants []string
	if c.rule.Equals != "" {
		wants = append(wants, fmt.Sprintf("%q", c.rule.Equals))
	}
	if c.rule.Contains != "" {
		wants = append(wants, fmt.Sprintf("a text with %q", c.rule.Contains))
	}
	if c.rule.Matches != "" {
		wants = append(wants, fmt.Sprintf("a match of %q", string(c.rule.Matches)))
	}
	return strings.Join(wants, " and ")
}

// bodyChecks are the rules for a body, ready to use.
type bodyChecks struct {
	rules               BodyRules
	max                 Size
	matches, notMatches []*regexp.Regexp
	room                *room // for what is matched
}

// checks makes the body rules ready, for bodies that are gathered in a room; nil when there is none.
func (e *HTTPExpect) checks(in *room) *bodyChecks {
	if !e.Body.any() {
		return nil
	}
	return &bodyChecks{rules: e.Body, max: e.MaxBody, matches: e.Body.Matches.compile(), notMatches: e.Body.NotMatches.compile(), room: in}
}

// wrong says what is wrong with the body, nil when nothing is.
func (c *bodyChecks) wrong(body []byte) error {
	if len(body) > int(c.max) {
		return fmt.Errorf("body is longer than %s, the most that is matched", c.max)
	}
	for _, text := range c.rules.Contains {
		if !bytes.Contains(body, []byte(text)) {
			return fmt.Errorf("body does not contain %q", text)
		}
	}
	for _, text := range c.rules.NotContains {
		if bytes.Contains(body, []byte(text)) {
			return fmt.Errorf("body contains %q", text)
		}
	}
	return c.wrongMatch(body)
}

func (c *bodyChecks) wrongMatch(body []byte) error {
	for _, re := range c.matches {
		if !re.Match(body) {
			return fmt.Errorf("body does not match %q", re)
		}
	}
	for _, re := range c.notMatches {
		if re.Match(body) {
			return fmt.Errorf("body matches %q", re)
		}
	}
	return nil
}
