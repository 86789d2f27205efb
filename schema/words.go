package schema

import (
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"sonde/probe"
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

// userinfo is the credentials within a URL.
var userinfo = regexp.MustCompile(`//[^/?#\s]*@`)

// secretPairs are the parameters, and the fields of JSON, in a text whose values may be credentials.
func secretPairs(text string) (pairs []string) {
	replaceSecretPairs(text, func(pair string) string {
		pairs = append(pairs, pair)
		return pair
	})
	return pairs
}

// replaceSecretPairs puts what with returns in the place of each of them. A field of JSON is a pair without a
// name. Without a value there is nothing to hide in a file.
func replaceSecretPairs(text string, with func(pair string) string) string {
	text = probe.HideFields(text, func(value string) string {
		inner := strings.Trim(value, `"`)
		if inner == "" {
			return value
		}
		if hidden := with("=" + inner)[1:]; hidden != inner {
			return `"` + hidden + `"`
		}
		return value
	})
	return probe.HidePairs(text, func(pair string) string {
		if strings.HasSuffix(pair, "=") {
			return pair
		}
		return with(pair)
	})
}

// hiddenPair is a parameter without its value.
func hiddenPair(pair string) string { return probe.HiddenPair(pair) }

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
		return probe.SecretText
	}
	value = userinfo.ReplaceAllString(value, "//"+probe.SecretText+"@")
	return replaceSecretPairs(value, hiddenPair)
}

// clip is the beginning of a text that is too long to be shown.
func clip(s string) string { return probe.Shorten(s, 60) }

// isSecret is true of a path with a key that looks like a credential's.
func isSecret(p *path) bool {
	for ; p != nil; p = p.parent {
		if probe.IsSecretKey(p.key) && !strings.HasSuffix(p.key, "_file") {
			return true
		}
	}
	return false
}
