package report

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"sonde/schema"
)

// object is a JSON object that a test walks.
type object map[string]any

// at is what stands at a path of keys and indices, nil when nothing does.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

func sarifOf(t *testing.T, r Report) object {
	t.Helper()
	var log object
	if err := json.Unmarshal([]byte(written(t, SARIF, r)), &log); err != nil {
		t.Fatal(err)
	}
	return log
}

// broken is a report with a finding of most sorts.
func brokenFiles(t *testing.T) Report {
	return checked(t, map[string]string{
		"a.yaml":      "probes:\n- {name: a, interval: 5, tcp: {address: 'a:1'}}\n",
		"b/c d.yaml":  "probes:\n- {name: b, timeout: {total: 1s, connect: 2s}, tcp: {address: 'a:1'}}\n",
		"empty.yaml":  "",
		"latin1.yaml": "probes: \xe9\n",
	})
}

// TestSARIFHasWhatTheStandardRequires walks what SARIF 2.1.0 (section 3) and GitHub's code scanning
// require of the parts that are written.
func TestSARIFHasWhatTheStandardRequires(t *testing.T) {
	t.Parallel()
	log := sarifOf(t, brokenFiles(t))
	if log["version"] != "2.1.0" || !strings.HasSuffix(log["$schema"].(string), "sarif-2.1.0.json") {
		t.Errorf("version %v, schema %v", log["version"], log["$schema"])
	}
	run, _ := at(map[string]any(log), "runs", 0).(map[string]any)
	if at(run, "tool", "driver", "name") != "sonde" || at(run, "columnKind") != "unicodeCodePoints" || at(run, "invocations", 0, "executionSuccessful") != true {
		t.Errorf("the run is not described: %v", run)
	}
	rules, _ := at(run, "tool", "driver", "rules").([]any)
	results, _ := at(run, "results").([]any)
	if len(results) != 4 {
		t.Errorf("%d results, want 4", len(results))
	}
	for _, result := range results {
		sarifResult(t, result, rules)
	}
}

var (
	linePrint   = regexp.MustCompile(`^[0-9a-f]{16}:[1-9][0-9]*$`)
	relativeURI = regexp.MustCompile(`^[^/\\: ][^\\: ]*$`)
)

// sarifResult holds one result against the standard.
func sarifResult(t *testing.T, result any, rules []any) {
	t.Helper()
	index, _ := at(result, "ruleIndex").(float64)
	if index < 0 || int(index) >= len(rules) || at(rules[int(index)], "id") != at(result, "ruleId") {
		t.Errorf("ruleIndex %v is not that of %v", index, at(result, "ruleId"))
	}
	if level := at(result, "level"); level != "error" && level != "warning" {
		t.Errorf("level %v", level)
	}
	if text, _ := at(result, "message", "text").(string); text == "" {
		t.Errorf("no message: %v", result)
	}
	place := at(result, "locations", 0, "physicalLocation")
	if uri, _ := at(place, "artifactLocation", "uri").(string); !relativeURI.MatchString(uri) || at(place, "artifactLocation", "uriBaseId") != "%SRCROOT%" {
		t.Errorf("uri %q is not relative to the root, or not escaped", uri)
	}
	for _, name := range []string{"startLine", "startColumn"} {
		if n, _ := at(place, "region", name).(float64); n < 1 {
			t.Errorf("%s is %v", name, n)
		}
	}
	if print, _ := at(result, "partialFingerprints", "primaryLocationLineHash").(string); !linePrint.MatchString(print) {
		t.Errorf("fingerprint %q", print)
	}
}

// TestRulesSayTheSameEverywhere: SARIF has all rules, with the texts of --explain; JSON those that are
// broken, with the same.
func TestRulesSayTheSameEverywhere(t *testing.T) {
	t.Parallel()
	rules, _ := at(map[string]any(sarifOf(t, Report{})), "runs", 0, "tool", "driver", "rules").([]any)
	if len(rules) != len(schema.Rules()) {
		t.Fatalf("%d rules, want %d", len(rules), len(schema.Rules()))
	}
	for i, e := range Explanations() {
		var b strings.Builder
		if err := Explain(&b, e.Rule); err != nil {
			t.Fatal(err)
		}
		help, _ := at(rules[i], "help", "text").(string)
		if at(rules[i], "id") != e.Rule || at(rules[i], "shortDescription", "text") != e.Summary || !strings.HasSuffix(b.String(), help) ||
			at(rules[i], "defaultConfiguration", "level") != e.severity() || !strings.Contains(at(rules[i], "help", "markdown").(string), e.Mistake) {
			t.Errorf("%s is another rule in SARIF: %v", e.Rule, rules[i])
		}
	}
	var inJSON reportJSON
	if err := json.Unmarshal([]byte(written(t, JSON, brokenFiles(t))), &inJSON); err != nil {
		t.Fatal(err)
	}
	if len(inJSON.Rules) != 4 || inJSON.Rules[0].Name != schema.RuleEncoding || inJSON.Rules[0].Mend != Explanations()[0].Mend {
		t.Errorf("rules in JSON: %+v", inJSON.Rules)
	}
}

func TestSARIFHasNoLinks(t *testing.T) {
	t.Parallel()
	p := schema.Problem{File: "a.yaml", Line: 1, Column: 1, Text: `is "[click](https://evil.example/)"`, Rule: "no-such-rule"}
	result := at(map[string]any(sarifOf(t, Report{Problems: []schema.Problem{p}})), "runs", 0, "results", 0)
	if text := at(result, "message", "text"); text != `is "[click] (https://evil.example/)"` || at(result, "ruleIndex") != -1.0 {
		t.Errorf("got %v", result)
	}
}
