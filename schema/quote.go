package schema

import (
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// harmless are the characters of texts that may go without quotes anywhere, also between brackets.
var harmless = regexp.MustCompile(`^[\pL\pN_./<(+-][\pL\pN_./:@%+=~$&;()<>?!*^| -]*$`)

// otherInOld are plain texts that YAML 1.1, as some readers still have it, takes for booleans and for numbers in
// base 60.
var otherInOld = regexp.MustCompile(`^(?i:y|n|yes|no|on|off)$|^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$`)

// inYAML is a text as YAML writes it: plain where every reader takes it for that text, else in double
// quotes.
func inYAML(s string) string {
	if otherInOld.MatchString(s) {
		return strconv.Quote(s)
	}
	return inNewYAML(s)
}

// inNewYAML is inYAML for readers of YAML 1.2.
func inNewYAML(s string) string {
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
	if at.isPlain() && text == at.node.Value { // its author has written it so, as in histograms: off
		return inNewYAML(text), mark
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
