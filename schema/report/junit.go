package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"sonde/schema"
)

type suitesXML struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Time     string     `xml:"time,attr"`
	Suites   []suiteXML `xml:"testsuite"`
}

type suiteXML struct {
	Name     string    `xml:"name,attr"`
	Tests    int       `xml:"tests,attr"`
	Failures int       `xml:"failures,attr"`
	Errors   int       `xml:"errors,attr"`
	Skipped  int       `xml:"skipped,attr"`
	Time     string    `xml:"time,attr"`
	Cases    []caseXML `xml:"testcase"`
}

type caseXML struct {
	Name    string      `xml:"name,attr"`
	Class   string      `xml:"classname,attr"`
	File    string      `xml:"file,attr"`
	Time    string      `xml:"time,attr"`
	Failure *failureXML `xml:"failure"`
	Output  string      `xml:"system-out,omitempty"`
}

type failureXML struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// noTime is how long everything took: reading is not a test that anybody waits for.
const noTime = "0"

// writeJUnit writes a test case for each file. One with problems fails, with all of them in one failure,
// since some programs read the first alone; warnings stand in the output of a case, which passes.
func writeJUnit(w io.Writer, r Report) error {
	suite := suiteXML{Name: "sonde check", Time: noTime, Cases: r.cases()}
	for _, c := range suite.Cases {
		suite.Tests++
		if c.Failure != nil {
			suite.Failures++
		}
	}
	all := suitesXML{Name: suite.Name, Tests: suite.Tests, Failures: suite.Failures, Time: noTime, Suites: []suiteXML{suite}}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

// cases are one for each file that was read or is at fault.
func (r Report) cases() []caseXML {
	of := map[string][]schema.Problem{}
	files := append([]string(nil), r.Files...)
	for _, p := range r.all() {
		if _, known := of[p.File]; !known && !slices.Contains(files, p.File) {
			files = append(files, p.File)
		}
		of[p.File] = append(of[p.File], p)
	}
	list := make([]caseXML, len(files))
	for i, name := range files {
		list[i] = caseOf(r.path(name), of[name])
	}
	return list
}

// caseOf is the test case of a file.
func caseOf(path string, findings []schema.Problem) caseXML {
	c := caseXML{Name: clean(path), Class: "sonde.check", File: clean(path), Time: noTime}
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
		c.Failure = &failureXML{Message: clean(problems[0].Text), Type: problems[0].Rule, Text: wrong.String()}
		if n > 1 {
			c.Failure.Message = fmt.Sprintf("%s, the first: %s", count(n, "problem"), c.Failure.Message)
		}
	}
	return c
}
