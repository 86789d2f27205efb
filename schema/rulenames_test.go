package schema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEveryRuleIsInTheTable: the constants of rulenames.go and the table name the same rules, in any
// order, each once.
func TestEveryRuleIsInTheTable(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "rulenames.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared, listed := map[string]int{}, map[string]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, is := n.(*ast.ValueSpec); is && len(spec.Values) == 1 {
			if text, is := spec.Values[0].(*ast.BasicLit); is {
				name, _ := strconv.Unquote(text.Value)
				declared[name]++
			}
		}
		return true
	})
	for _, r := range Rules() {
		listed[r.Name]++
	}
	if diff := cmp.Diff(declared, listed); diff != "" || len(declared) < 30 {
		t.Errorf("-constants +table:\n%s", diff)
	}
}
