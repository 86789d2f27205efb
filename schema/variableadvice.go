package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

var (
	// wholeVariable is a value that shells would fill in, and sonde does not.
	wholeVariable = regexp.MustCompile(`^\$[A-Z_][A-Z0-9_]*$`)
	// variableWithin is such a variable in a text; of one letter only in parentheses. The names are the last
	// groups. A price, $filter of OData and $Version of cookies are none.
	variableWithin = regexp.MustCompile(`\$(?:([A-Z_][A-Z0-9_]+)(?:[^A-Za-z0-9_]|$)|\(([A-Za-z_][A-Za-z0-9_]*)\))`)
)

// adviseVariables warns of values of the kind's blocks that are wholly $NAME, and of URLs, addresses and headers
// that hold $NAME or $(NAME). Of those that hold a credential adviseSecrets says so.
func (d *definition) adviseVariables() {
	for _, block := range d.kindBlocks() {
		if !holdsVariable(block.node) {
			continue
		}
		for _, at := range bareVariables(block.place, nil) {
			verb, written, name := bareIn(at)
			d.warn(source{at, block.layer, block.rank}, RuleVariable,
				fmt.Sprintf("%s %s, which stands for itself; did you mean ${%s}? As a text it is written $%s", verb, clip(written), clip(name), clip(written)))
		}
	}
}

// bareIn finds the variable in a value, as it is written and its name; empty when there is none.
func bareIn(at place) (verb, written, name string) {
	text := at.node.Value
	switch {
	case at.doc.verbatim || isSecret(at.path):
		return "", "", ""
	case wholeVariable.MatchString(text):
		return "is", text, text[1:]
	case !fillsOften(at.path):
		return "", "", ""
	}
	m := variableWithin.FindStringSubmatch(masked(at.path, strings.ReplaceAll(text, "$$", "")))
	switch {
	case m == nil:
		return "", "", ""
	case m[1] != "":
		return "holds", "$" + m[1], m[1]
	}
	return "holds", "$(" + m[2] + ")", m[2]
}

// fillsOften is true of URLs, addresses and headers of what is sent: there people put variables into a text. A
// body may be a script, and what is expected a regular expression.
func fillsOften(p *path) bool {
	for last := p; p != nil; p = p.parent {
		switch {
		case p.key == "expect":
			return false
		case p == last && (p.key == "url" || p.key == "address"), p.key == "headers":
			return p.parent == nil || p.parent.key != "expect"
		}
	}
	return false
}

// holdsVariable is true of a node with such a value somewhere below. Nearly none has one, and it costs less to
// ask for it than to know all places.
func holdsVariable(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "$") && (wholeVariable.MatchString(n.Value) || variableWithin.MatchString(n.Value)) ||
		slices.ContainsFunc(n.Content, holdsVariable)
}

// bareVariables appends the values below a place that are, or hold, such a variable.
func bareVariables(at place, found []place) []place {
	switch {
	case at.isMap():
		for _, e := range at.entries() {
			found = bareVariables(e.value, found)
		}
	case at.isList():
		for i := range at.node.Content {
			found = bareVariables(at.element(i), found)
		}
	default:
		if _, _, name := bareIn(at); name != "" {
			found = append(found, at)
		}
	}
	return found
}
