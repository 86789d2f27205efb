package report

import (
	"encoding/json"
	"io"
	"strings"

	"sonde/schema"
)

// The object that the format json writes. Field names are a promise: fields may join, none goes.
type (
	reportJSON struct {
		Name    string `json:"name"`    // what was checked
		Version string `json:"version"` // sonde's
		// Whether the files load. They do with warnings, too.
		Valid    bool `json:"valid"`
		Probes   int  `json:"probes"`   // declared; 0 when not valid
		Errors   int  `json:"errors"`   // findings of severity error
		Warnings int  `json:"warnings"` // findings of severity warning
		// The files that were read, each named as it was given.
		Files []string `json:"files"`
		// In the order of files, lines and columns.
		Findings []findingJSON `json:"findings"`
		// The rules that are broken, in the order of the reference.
		Rules []ruleJSON `json:"rules"`
	}
	findingJSON struct {
		File   string `json:"file"`
		Line   int    `json:"line"`   // from 1
		Column int    `json:"column"` // from 1, in characters
		// error or warning.
		Severity string `json:"severity"`
		Rule     string `json:"rule"`
		Message  string `json:"message"`
		// The same as long as rule and line are, wherever in the file the line stands.
		Fingerprint string `json:"fingerprint"`
	}
	ruleJSON struct {
		Name string `json:"name"`
		// error or warning. A finding of the rule settings may be either.
		Severity string `json:"severity"`
		Summary  string `json:"summary"` // one sentence
		Meaning  string `json:"meaning"` // what it means, and why it is a rule
		Mistake  string `json:"mistake"` // a file that breaks it
		Mend     string `json:"mend"`    // the same file, mended
	}
)

func writeJSON(w io.Writer, r Report) error {
	findings := r.all()
	return encode(w, reportJSON{
		Name: clean(r.Name), Version: r.Version, Valid: len(r.Problems) == 0, Probes: r.Probes,
		Errors: len(r.Problems), Warnings: len(r.Warnings),
		Files: cleaned(r.Files), Findings: findingsJSON(findings, r.fingerprints()), Rules: rulesJSON(broken(findings)),
	})
}

// encode writes a value as indented JSON. Angle brackets stay: nobody puts it into HTML unescaped.
func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func cleaned(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = clean(name)
	}
	return list
}

func findingsJSON(findings []schema.Problem, prints *fingerprints) []findingJSON {
	list := make([]findingJSON, len(findings))
	for i, p := range findings {
		list[i] = findingJSON{
			File: clean(p.File), Line: p.Line, Column: p.Column, Severity: severity(p), Rule: p.Rule,
			Message: clean(p.Text), Fingerprint: prints.next(p),
		}
	}
	return list
}

// broken is what is to be said of the rules that findings break, in the order of the reference.
func broken(findings []schema.Problem) []Explanation {
	is := map[string]bool{}
	for _, p := range findings {
		is[p.Rule] = true
	}
	var list []Explanation
	for _, e := range Explanations() {
		if is[e.Rule] {
			list = append(list, e)
		}
	}
	return list
}

func rulesJSON(rules []Explanation) []ruleJSON {
	list := make([]ruleJSON, len(rules))
	for i, e := range rules {
		list[i] = ruleJSON{
			Name: e.Rule, Severity: e.severity(), Summary: e.Summary, Meaning: strings.Join(strings.Fields(e.Meaning), " "),
			Mistake: e.Mistake, Mend: e.Mend,
		}
	}
	return list
}
