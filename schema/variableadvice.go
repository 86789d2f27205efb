package schema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// wholeVariable is a value that shells would fill in, and sonde does not.
var wholeVariable = regexp.MustCompile(`^\$[A-Z_][A-Z0-9_]*$`)

// adviseVariables warns of values of the kind's blocks that are wholly $NAME. Of those that hold a
// credential adviseSecrets says so.
func (d *definition) adviseVariables() {
	for _, block := range d.kindBlocks() {
		if !holdsVariable(block.node) {
			continue
		}
		for _, at := range bareVariables(block.place, nil) {
			name := clip(at.node.Value[1:])
			d.warn(source{at, block.layer, block.rank}, RuleVariable,
				fmt.Sprintf("is $%s, which stands for itself; did you mean ${%s}? As a text it is written $$%s", name, name, name))
		}
	}
}

// holdsVariable is true of a node with such a value somewhere below. Nearly none has one, and it costs less to
// ask for it than to know all places.
func holdsVariable(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n.Kind == yaml.ScalarNode && strings.HasPrefix(n.Value, "$") && wholeVariable.MatchString(n.Value) ||
		slices.ContainsFunc(n.Content, holdsVariable)
}

// bareVariables appends the values below a place that are wholly $NAME.
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
	case !at.doc.verbatim && wholeVariable.MatchString(at.node.Value) && !isSecret(at.path):
		found = append(found, at)
	}
	return found
}
