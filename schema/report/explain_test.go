package report

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe/kinds"
	"sonde/schema"
)

// meant makes of what a page shows the file that it stands for, where that cannot be shown.
var meant = map[string]func(shown string) string{
	schema.RuleEncoding: func(s string) string { return strings.ReplaceAll(s, `\xe9`, "\xe9") },
	schema.RuleTooLarge: func(s string) string { return strings.Repeat("#", 32<<20) + "\n" + s },
	schema.RuleMore: func(s string) string {
		return strings.Replace(s, "shop]", "shop"+strings.Repeat(", x", 1000)+"]", 1)
	},
}

// rules are the rules that a file breaks, each once.
func rules(t *testing.T, text string) (list []string) {
	t.Helper()
	w := schema.System()
	read := w.ReadFile
	w.ReadFile = func(name string, limit int64) ([]byte, error) {
		if name == "nodes.json" { // as a page describes it
			return []byte(`[{"targets": ["node1.example.com"], "labels": {"group": "nodes"}}]`), nil
		}
		return read(name, limit)
	}
	set, err := w.Parse("probes.yaml", []byte(text), kinds.All(nil, "test"))
	var problems schema.Problems
	if err != nil && !errors.As(err, &problems) {
		t.Fatal(err)
	}
	if set != nil {
		problems = set.Warnings
	}
	for _, p := range problems {
		list = append(list, p.Rule)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func TestEveryMistakeBreaksItsRuleAndEveryMendMendsIt(t *testing.T) {
	t.Parallel()
	for _, e := range Explanations() {
		t.Run(e.Rule, func(t *testing.T) {
			t.Parallel()
			mistake := e.Mistake
			if f := meant[e.Rule]; f != nil {
				if mistake = f(e.Mistake); mistake == e.Mistake {
					t.Error("the page does not show what the test makes of it")
				}
			}
			got := rules(t, mistake)
			if e.Rule == schema.RuleMore {
				got = slices.DeleteFunc(got, func(r string) bool { return r == schema.RuleType })
			}
			if diff := cmp.Diff([]string{e.Rule}, got); diff != "" {
				t.Errorf("the mistake breaks other rules, -want +got:\n%s", diff)
			}
			if diff := cmp.Diff([]string(nil), rules(t, e.Mend)); diff != "" {
				t.Errorf("the mend is not whole, -want +got:\n%s", diff)
			}
		})
	}
}

func TestEveryRuleHasAPageAndEveryPageARule(t *testing.T) {
	t.Parallel()
	want := map[string]bool{}
	for _, e := range Explanations() {
		want["rules/"+e.Rule+".md"] = true
		if e.Summary == "" || len(e.Meaning) < 100 || strings.TrimSpace(e.Mistake) == "" || strings.TrimSpace(e.Mend) == "" {
			t.Errorf("%s lacks a part: %+v", e.Rule, e)
		}
	}
	files, err := fs.Glob(pages, "rules/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		page, _ := pages.ReadFile(name)
		rule := strings.TrimSuffix(strings.TrimPrefix(name, "rules/"), ".md")
		if !want[name] || !bytes.HasPrefix(page, []byte("# "+rule+"\n\n")) {
			t.Errorf("%s is the page of no rule, or has another heading", name)
		}
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := Explain(&b, schema.RuleUnknownKey); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"unknown-key (problem)\n\nNothing is called so", "\nMistake:\n\n    probes:\n", "        intervall: 30s\n", "\nMend:\n\n    probes:\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in:\n%s", want, text)
		}
	}
	b.Reset()
	if err := Explain(&b, "all"); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(b.String(), "\n"), len(schema.Rules()); got != want {
		t.Errorf("%d lines for %d rules:\n%s", got, want, b.String())
	}
}

func TestExplainSuggests(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"unknwon-key": "did you mean unknown-key or repeated-key or missing-key? ",
		"secret":      "did you mean literal-secret? ",
		"deadline":    "did you mean deadline-over-due? ",
		"zzz":         "",
		"":            "",
		"x\x1b[31m":   "",
	} {
		var unknown *UnknownRule
		if err := Explain(&bytes.Buffer{}, asked); !errors.As(err, &unknown) {
			t.Errorf("%q: got %v, want an UnknownRule", asked, err)
			continue
		}
		if got, want := unknown.Hint(), want+"sonde check --explain all lists the rules"; got != want {
			t.Errorf("%q: got %q, want %q", asked, got, want)
		}
		if strings.Contains(unknown.Error(), "\x1b") {
			t.Errorf("%q is not escaped", unknown.Error())
		}
	}
}
