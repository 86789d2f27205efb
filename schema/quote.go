package schema

import (
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"
)

// harmless are the characters of texts that may go without quotes anywhere, also between brackets.
var harmless = regexp.MustCompile(`^[\pL\pN_./<(+-][\pL\pN_./:@%+=~$&;()<>?!*^| -]*$`)

// inYAML is a text as YAML writes it: plain where every reader takes it for that text, else in double
// quotes.
func inYAML(s string) string {
	if harmless.MatchString(s) {
		var n yaml.Node
		err := yaml.Unmarshal([]byte(s), &n)
		if err == nil && len(n.Content) == 1 && n.Content[0].Tag == "!!str" && n.Content[0].Value == s {
			return s
		}
	}
	return strconv.Quote(s)
}

// scalar is a scalar as a file would say it. Numbers and booleans stay what they are.
func (v viewer) scalar(at place) string {
	if at.isNull() {
		return "null"
	}
	if at.isPlain() && isBare(at.node) && !isSecret(at.path) {
		return at.node.Value
	}
	x, _ := v.walk.text(at)
	return inYAML(masked(at.path, x.shown))
}

// joinKey is the path of a key, in brackets when it has no plain form.
func joinKey(before, key string) string {
	if !plainKey.MatchString(key) {
		return before + "[" + strconv.Quote(key) + "]"
	}
	return join(before, key)
}
