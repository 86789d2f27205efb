package schema

import (
	"fmt"
	"regexp"
	"strings"
)

// legalName is what a probe may be called: it stands in labels, URLs and file names.
var legalName = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]*$`)

// maxName bounds a name's length, that of its target included.
const maxName = 200

const wantName = "want lower-case letters, digits, _, . and -, beginning with a letter or digit, at most 200"

// probeName is a probe's name.
type probeName string

// UnmarshalText takes a legal name.
func (n *probeName) UnmarshalText(text []byte) error {
	if !legalName.Match(text) || len(text) > maxName {
		return fmt.Errorf("%s%s", wantName, legalised(string(text)))
	}
	*n = probeName(text)
	return nil
}

// legalised is the hint of a legal name that is close by, or empty.
func legalised(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
		return ""
	}
	s := strings.Trim(regexp.MustCompile(`[^a-z0-9_.-]+`).ReplaceAllString(strings.ToLower(name), "-"), "-_.")
	if !legalName.MatchString(s) || len(s) > maxName {
		return ""
	}
	if strings.Contains(name, "$") {
		return "; nothing is filled in here, since names are shown everywhere"
	}
	return "; " + s + " would do"
}
