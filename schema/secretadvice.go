package schema

import (
	"regexp"
	"strings"
)

// adviseSecrets warns of credentials that stand in the kind's blocks, or in the fields of a target that
// they name, as they are. It looks at the text of the files, because only there a filled value can be
// told from a literal one.
func (d *definition) adviseSecrets() {
	for _, block := range d.kindBlocks() {
		for _, at := range d.target.literalSecrets(block.place, nil) {
			d.warn(source{at, block.layer, block.rank}, RuleSecret, "holds a credential as it is, and everyone who reads the file has it; want ${file:PATH}, ${cred:NAME} or ${NAME}"+unbraced(at.node.Value))
		}
	}
}

// bareVariable is a variable as shells take it, and sonde does not.
var bareVariable = regexp.MustCompile(`(?:^|[ :/=])\$([A-Z_][A-Z0-9_]*)(?:$|@)`)

// unbraced is the hint for who meant a variable.
func unbraced(text string) string {
	m := bareVariable.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return "; $" + clip(m[1]) + " stands for itself, did you mean ${" + clip(m[1]) + "}?"
}

// literalSecrets appends the values below a place that hold a credential: those under a name that says
// so, and URLs with one in their userinfo or query. What a response is expected to hold is none of ours.
// The target is that of the probe, and may be nil.
func (t *target) literalSecrets(at place, found []place) []place {
	switch {
	case at.isMap():
		for _, e := range at.entries() {
			if e.name != "expect" {
				found = t.literalSecrets(e.value, found)
			}
		}
	case at.isList():
		for i := range at.node.Content {
			found = t.literalSecrets(at.element(i), found)
		}
	default:
		if literal := t.literalSecret(at); literal.exists() {
			found = append(found, literal)
		}
	}
	return found
}

// literalSecret is where a scalar's credential stands, none of which is filled in from elsewhere; a place
// that does not exist when it holds none.
func (t *target) literalSecret(at place) place {
	text := at.node.Value
	switch {
	case at.isNull() || strings.TrimSpace(text) == "" || at.node.Tag == "!!bool":
		return place{}
	case isSecret(at.path):
		return t.literal(at, text)
	case !strings.ContainsAny(text, "@={"):
		return place{} // no pattern matches without
	}
	for _, part := range append(userinfo.FindAllString(text, -1), secretPairs(text)...) {
		if literal := t.literal(at, part); literal.exists() {
			return literal
		}
	}
	return place{}
}

// literal is where a credential stands: the place itself, or the field of the target that it names; one
// that does not exist when it is filled in. What is not written as it should be is told elsewhere.
func (t *target) literal(at place, text string) place {
	if at.doc.verbatim {
		return at
	}
	list, err := parts(text)
	if err != nil {
		return place{}
	}
	for _, p := range list {
		if p.kind == filledPart {
			return place{}
		}
		if p.kind == targetPart && t != nil {
			field := t.fields[p.text]
			if field.secret {
				return place{}
			}
			at = field.at
		}
	}
	return at
}
