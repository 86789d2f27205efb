package schema

import "strings"

// fills says that ${…} in a value is filled in from elsewhere. As long as it is not, a credential has no
// place but the file, and nobody is warned of that.
const fills = false

// adviseSecrets warns of credentials that stand in the kind block as they are. It looks at the text of
// the file, because only there a filled value can be told from a literal one.
func (d *definition) adviseSecrets() {
	if !fills {
		return
	}
	for _, at := range literalSecrets(d.block, nil) {
		d.warn(source{at, &d.layers[0], 0}, RuleSecret, "holds a credential as it is, and everyone who reads the file has it; want ${file:PATH}, ${cred:NAME} or ${NAME}")
	}
}

// literalSecrets appends the values below a place that hold a credential: those under a name that says
// so, and URLs with one in their userinfo or query. What a response is expected to hold is none of ours.
func literalSecrets(at place, found []place) []place {
	switch {
	case at.isMap():
		for _, e := range at.entries() {
			if e.name != "expect" {
				found = literalSecrets(e.value, found)
			}
		}
	case at.isList():
		for i := range at.node.Content {
			found = literalSecrets(at.element(i), found)
		}
	case isLiteralSecret(at):
		found = append(found, at)
	}
	return found
}

// isLiteralSecret is true of a scalar that holds a credential, none of it filled in from elsewhere.
func isLiteralSecret(at place) bool {
	text := at.node.Value
	switch {
	case at.isNull() || strings.TrimSpace(text) == "" || at.node.Tag == "!!bool":
		return false
	case isSecret(at.path):
		return !isFilled(text)
	}
	for _, part := range append(userinfo.FindAllString(text, -1), secretQuery.FindAllString(text, -1)...) {
		if !isFilled(part) {
			return true
		}
	}
	return false
}

// isFilled is true of a text that holds ${…}; $$ is a dollar.
func isFilled(text string) bool {
	return strings.Contains(strings.ReplaceAll(text, "$$", ""), "${")
}
