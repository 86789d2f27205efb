package report

import (
	"io"
	"strings"

	"sonde/schema"
)

// The parts of SARIF 2.1.0 (OASIS) that are written. Field names are the standard's.
type (
	logSARIF struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []runSARIF `json:"runs"`
	}
	runSARIF struct {
		Tool        toolSARIF         `json:"tool"`
		Invocations []invocationSARIF `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []resultSARIF     `json:"results"`
	}
	toolSARIF struct {
		Driver driverSARIF `json:"driver"`
	}
	driverSARIF struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []ruleSARIF `json:"rules"`
	}
	invocationSARIF struct {
		ExecutionSuccessful bool `json:"executionSuccessful"`
	}
	ruleSARIF struct {
		ID        string       `json:"id"`
		Short     messageSARIF `json:"shortDescription"`
		Full      messageSARIF `json:"fullDescription"`
		Help      messageSARIF `json:"help"`
		Configure levelSARIF   `json:"defaultConfiguration"`
	}
	messageSARIF struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	levelSARIF struct {
		Level string `json:"level"`
	}
	resultSARIF struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      messageSARIF      `json:"message"`
		Locations    []locationSARIF   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	locationSARIF struct {
		Physical physicalSARIF `json:"physicalLocation"`
	}
	physicalSARIF struct {
		Artifact artifactSARIF `json:"artifactLocation"`
		Region   regionSARIF   `json:"region"`
	}
	artifactSARIF struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	regionSARIF struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
)

// writeSARIF writes one run with all rules, broken or not, so that what is said of a rule does not
// depend on the files.
func writeSARIF(w io.Writer, r Report) error {
	rules := Explanations()
	index := map[string]int{}
	driver := driverSARIF{Name: "sonde", Version: clean(r.Version)}
	for i, e := range rules {
		index[e.Rule] = i
		driver.Rules = append(driver.Rules, ruleOf(e))
	}
	prints, results := r.fingerprints(), []resultSARIF{}
	for _, p := range r.all() {
		results = append(results, r.result(p, index, prints))
	}
	return encode(w, logSARIF{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []runSARIF{{
			Tool: toolSARIF{driver}, Invocations: []invocationSARIF{{ExecutionSuccessful: true}},
			ColumnKind: "unicodeCodePoints", Results: results,
		}},
	})
}

func ruleOf(e Explanation) ruleSARIF {
	return ruleSARIF{
		ID:        e.Rule,
		Short:     messageSARIF{Text: e.Summary},
		Full:      messageSARIF{Text: strings.Join(strings.Fields(e.Meaning), " ")},
		Help:      messageSARIF{Text: e.text(), Markdown: e.markdown()},
		Configure: levelSARIF{Level: e.severity()},
	}
}

// result is a finding. A rule that is in no table has no index, which the standard writes as -1.
func (r Report) result(p schema.Problem, index map[string]int, prints *fingerprints) resultSARIF {
	i, known := index[p.Rule]
	if !known {
		i = -1
	}
	place := physicalSARIF{Region: regionSARIF{StartLine: p.Line, StartColumn: p.Column}}
	uri, relative := r.uri(p.File)
	if place.Artifact.URI = uri; relative {
		place.Artifact.Base = "%SRCROOT%"
	}
	return resultSARIF{
		RuleID: p.Rule, RuleIndex: i, Level: severity(p), Message: messageSARIF{Text: unlinked(clean(p.Text))},
		Locations:    []locationSARIF{{place}},
		Fingerprints: map[string]string{"primaryLocationLineHash": prints.next(p)},
	}
}

// unlinked keeps a text from having a link, which in SARIF is written [text](target).
func unlinked(s string) string { return strings.ReplaceAll(s, "](", "] (") }
