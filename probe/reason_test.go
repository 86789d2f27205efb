package probe_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sonde/probe"
)

// TestTheTableOfReasons compares the table with the constants that reason.go declares.
func TestTheTableOfReasons(t *testing.T) {
	t.Parallel()
	declared := declaredReasons(t)
	legal := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	seen := map[probe.Reason]bool{}
	for _, row := range probe.Reasons() {
		if seen[row.Reason] {
			t.Errorf("%s stands twice in the table", row.Reason)
		}
		seen[row.Reason] = true
		if !declared[row.Reason] || !legal.MatchString(string(row.Reason)) {
			t.Errorf("%q is in the table, but is no constant or no legal label value", row.Reason)
		}
		if !strings.HasSuffix(row.Help, ".") {
			t.Errorf("the help of %s is %q, want a sentence", row.Reason, row.Help)
		}
		if r := row.Reason; !r.Known() || r.Transient() != row.Transient || r.Blame() != row.Blame {
			t.Errorf("%s says known %v, transient %v, blame %v, want what its row says: %+v", r, r.Known(), r.Transient(), r.Blame(), row)
		}
		if row.Blame == probe.OfEnd && row.Transient {
			t.Errorf("%s is transient, but a run that has ended has no other attempt", row.Reason)
		}
	}
	for r := range declared {
		if !seen[r] {
			t.Errorf("%s is a constant, but has no row in the table", r)
		}
	}
	if probe.Reason("").Known() || probe.Reason("weather").Known() {
		t.Error("the set of reasons is not closed")
	}
}

func TestReasonsAreACopy(t *testing.T) {
	t.Parallel()
	probe.Reasons()[0].Reason = "changed"
	if r := probe.Reasons()[0].Reason; r == "changed" {
		t.Errorf("the first reason is now %q", r)
	}
}

// declaredReasons are the values of all constants of type Reason.
func declaredReasons(t *testing.T) map[probe.Reason]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "reason.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[probe.Reason]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := v.Type.(*ast.Ident); ok && typ.Name == "Reason" {
			for _, value := range v.Values {
				text, err := strconv.Unquote(value.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				declared[probe.Reason(text)] = true
			}
		}
		return true
	})
	return declared
}

func TestReasonsOfLimits(t *testing.T) {
	t.Parallel()
	for _, l := range []probe.Limit{probe.LimitTotal, probe.LimitConnect, probe.LimitSockConnect, probe.LimitSockRead} {
		if got, want := l.Reason(), probe.Reason("limit_"+l); got != want || !got.Known() {
			t.Errorf("the limit %s fails with %q, want %s", l, got, want)
		}
	}
	if got := probe.Limit("").Reason(); got != "" {
		t.Errorf("no limit fails with %q", got)
	}
}
