package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// testDashboard holds that Prometheus' own parser takes each expression of the dashboard, as that of a rule.
func testDashboard(t *testing.T) {
	type rule struct{ Record, Expr string }
	var rules []rule
	for i, q := range readDashboard(t).questions() {
		rules = append(rules, rule{fmt.Sprintf("dashboard:question:%d", i), q.filled("shop-home")})
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dashboard.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "promtool", "check", "rules", file).CombinedOutput(); err != nil {
		t.Errorf("promtool check rules: %v\n%s\n%s", err, out, text)
	}
}

// answersDashboard says which expression of the dashboard Prometheus cannot answer, or has no answer to: labels
// that do not join show only when there are series.
func (p *prometheus) answersDashboard(t *testing.T) (amiss string) {
	t.Helper()
	return wait(t, func() string {
		var lines []string
		for _, q := range readDashboard(t).questions() {
			n := 0
			for _, probe := range []string{"broken", "flaky", "tls"} {
				got, err := p.ask(q.filled(probe))
				if err != nil {
					return fmt.Sprintf("%s: %v\n%s", q.where, err, q.expr)
				}
				n += len(got)
			}
			if n == 0 && !slices.Contains(notMet, q.legend) {
				lines = append(lines, fmt.Sprintf("%s has no answer:\n%s", q.where, q.expr))
			}
		}
		return strings.Join(lines, "\n")
	})
}

// notMet are the legends of what none of these probes has.
var notMet = []string{"transparent resends", "ambiguous", "refused by the budget"}
