package schema

import (
	"regexp"
	"strconv"
	"strings"

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

// scalar is a scalar as a file would say it, and its mark. Numbers and booleans stay what they are.
func (v viewer) scalar(at place) (text string, mark uint64) {
	switch {
	case at.isNull():
		return "null", 0
	case at.isPlain() && isBare(at.node) && !isSecret(at.path):
		return at.node.Value, 0
	}
	text, hides := v.asFile(at)
	if hides {
		mark = v.mark(at)
	}
	return inYAML(text), mark
}

// untemplated is how a file writes a text that is not to be filled in: parts makes the text of it again.
func untemplated(text string) string {
	if !isTemplate(text) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "$$"), strings.HasPrefix(rest, "${"):
			b.WriteString("$$")
		case strings.HasPrefix(rest, "{{"):
			b.WriteString(`{{"{{"}}`)
			i++
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

// joinKey is the path of a key, in brackets when it has no plain form.
func joinKey(before, key string) string {
	if !plainKey.MatchString(key) {
		return before + "[" + strconv.Quote(key) + "]"
	}
	return join(before, key)
}
