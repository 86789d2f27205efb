package schema

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// what says what stands at a place, for `is …`.
func what(at place) string {
	switch {
	case at.isNull():
		return "empty"
	case at.isMap():
		return "a mapping"
	case at.isList():
		return "a list"
	}
	return shown(at.path, at.node.Value, at.isPlain() && isBare(at.node))
}

// isBare is true of scalars that are shown without quotes: numbers and booleans.
func isBare(n *yaml.Node) bool {
	switch n.Tag {
	case "!!int", "!!float", "!!bool":
		return true
	}
	return false
}

// secretWords are what a key contains whose value may be a credential.
var secretWords = []string{
	"token", "secret", "passw", "authorization", "cookie", "credential", "apikey", "api_key", "api-key", "signature",
}

// isSecretName is true of a key whose value may be a credential. It is asked of every value of a file, and
// a regular expression would take most of the time that loading takes.
func isSecretName(key string) bool {
	key = strings.ToLower(key)
	if strings.HasSuffix(key, "auth") {
		return true
	}
	for _, word := range secretWords {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}

// userinfo is the credentials within a URL.
var userinfo = regexp.MustCompile(`//[^/?#\s]*@`)

// secretQuery is a query value whose name looks like a credential's.
var secretQuery = regexp.MustCompile(`(?i)([?&;][^=&;]*(?:token|key|secret|pass|sig|auth)[^=&;]*=)[^&;#\s]+`)

// shown is a value as a problem shows it: short, on one line, without what may be a credential.
func shown(p *path, value string, bare bool) string {
	value = masked(p, value)
	if bare || isSecret(p) {
		return clip(value)
	}
	return strconv.Quote(clip(value))
}

// masked is a value without what may be a credential.
func masked(p *path, value string) string {
	if isSecret(p) {
		return "<secret>"
	}
	value = userinfo.ReplaceAllString(value, "//<secret>@")
	return secretQuery.ReplaceAllString(value, "${1}<secret>")
}

// clip is the beginning of a text that is too long to be shown.
func clip(s string) string {
	if len(s) <= 60 || utf8.RuneCountInString(s) <= 60 {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == 58 {
			return s[:i] + "…"
		}
	}
	return s
}

// isSecret is true of a path with a key that looks like a credential's.
func isSecret(p *path) bool {
	for ; p != nil; p = p.parent {
		if isSecretName(p.key) && !strings.HasSuffix(p.key, "_file") {
			return true
		}
	}
	return false
}
