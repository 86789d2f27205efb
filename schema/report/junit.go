package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"sonde/probe"
	"sonde/schema"
	"sonde/schema/report/junit"
)

// noTime is how long everything took: reading is not a test that anybody waits for.
const noTime = "0"

// writeJUnit writes a test case for each file. One with problems fails, with all of them in one failure,
// since some programs read the first alone; warnings stand in the output of a case, which passes.
func writeJUnit(w io.Writer, r Report) error {
	suite := junit.Suite{Name: "sonde check", Time: noTime, Cases: r.cases()}
	return junit.Write(w, junit.Suites{Name: suite.Name, Skipped: new(int), Time: noTime, Suites: []junit.Suite{suite}})
}

// cases are one for each file that was checked or is at fault.
func (r Report) cases() []junit.Case {
	of := map[string][]schema.Problem{}
	files := r.checked()
	for _, p := range r.all() {
		if _, known := of[p.File]; !known && !slices.Contains(files, p.File) {
			files = append(files, p.File)
		}
		of[p.File] = append(of[p.File], p)
	}
	list := make([]junit.Case, len(files))
	for i, name := range files {
		list[i] = caseOf(r.path(name), of[name])
	}
	return list
}

// checked are the files of definitions and targets, by their names: a secret's file, or a certificate's, which was
// read beside them, is no test of ours. Where none has such a name they are all.
func (r Report) checked() []string {
	list := slices.DeleteFunc(slices.Clone(r.Files), func(name string) bool {
		return !slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name)))
	})
	if len(list) == 0 {
		return slices.Clone(r.Files)
	}
	return list
}

// caseOf is the test case of a file.
func caseOf(path string, findings []schema.Problem) junit.Case {
	c := junit.Case{Name: clean(path), Class: "sonde.check", File: clean(path), Time: noTime}
	var problems []schema.Problem
	var wrong, worth strings.Builder
	for _, p := range findings {
		if p.Warning {
			fmt.Fprintln(&worth, line(p))
			continue
		}
		problems = append(problems, p)
		fmt.Fprintln(&wrong, line(p))
	}
	c.Output = worth.String()
	if n := len(problems); n > 0 {
		c.Failure = &junit.Fault{Message: clean(problems[0].Text), Type: problems[0].Rule, Text: wrong.String()}
		if n > 1 {
			c.Failure.Message = fmt.Sprintf("%s, the first: %s", probe.Count(n, "problem"), c.Failure.Message)
		}
	}
	return c
}
