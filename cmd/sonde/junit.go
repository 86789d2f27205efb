package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"sonde/probe"
)

// JUnit XML has no flaky. Down is a failure, unknown an error; a flaky probe passes, and its properties
// and its output say what happened.

type suitesXML struct {
	XMLName  xml.Name   `xml:"testsuites"`
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Time     string     `xml:"time,attr"`
	Suites   []suiteXML `xml:"testsuite"`
}

type suiteXML struct {
	Name      string    `xml:"name,attr"`
	Tests     int       `xml:"tests,attr"`
	Failures  int       `xml:"failures,attr"`
	Errors    int       `xml:"errors,attr"`
	Skipped   int       `xml:"skipped,attr"`
	Time      string    `xml:"time,attr"`
	Timestamp string    `xml:"timestamp,attr"`
	Cases     []caseXML `xml:"testcase"`
}

type caseXML struct {
	Name       string        `xml:"name,attr"`
	Class      string        `xml:"classname,attr"`
	Time       string        `xml:"time,attr"`
	Properties []propertyXML `xml:"properties>property"`
	Failure    *faultXML     `xml:"failure"`
	Error      *faultXML     `xml:"error"`
	Output     string        `xml:"system-out,omitempty"`
}

type propertyXML struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type faultXML struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// writeJUnit prints the results as one test suite; started is when the first began and took how long
// all of it lasted.
func writeJUnit(w io.Writer, results []*probe.Result, started time.Time, took time.Duration) error {
	n := tallyOf(results)
	suite := suiteXML{
		Name: "sonde", Tests: len(results), Failures: n[probe.Down], Errors: n[probe.Unknown],
		Time: secondsXML(took), Timestamp: timestampXML(started),
	}
	for _, r := range results {
		suite.Cases = append(suite.Cases, caseOf(r))
	}
	all := suitesXML{
		Name: suite.Name, Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Time: suite.Time,
		Suites: []suiteXML{suite},
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func secondsXML(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

func timestampXML(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

func caseOf(r *probe.Result) caseXML {
	c := caseXML{
		Name: clean(r.Probe.Name), Class: clean(classOf(r.Probe)), Time: secondsXML(r.Duration),
		Properties: propertiesOf(r), Output: transcript(r),
	}
	fault := &faultXML{Message: errorText(r.Err), Type: string(r.Reason), Text: c.Output}
	switch r.Verdict {
	case probe.Down:
		c.Failure, c.Output = fault, ""
	case probe.Unknown:
		c.Error, c.Output = fault, ""
	}
	return c
}

// classOf is under what CI programs gather the case.
func classOf(p *probe.Probe) string {
	if p.Group == "" {
		return "sonde"
	}
	return "sonde." + p.Group
}

func propertiesOf(r *probe.Result) []propertyXML {
	return []propertyXML{
		{"verdict", string(r.Verdict)}, {"kind", r.Probe.Kind}, {"target", clean(r.Probe.Target)},
		{"attempts", fmt.Sprint(charged(r))}, {"reason", string(r.Reason)}, {"stop", string(r.Stop)},
	}
}

// transcript is a line for each attempt.
func transcript(r *probe.Result) string {
	var b strings.Builder
	for i := range r.Attempts {
		a := &r.Attempts[i]
		fmt.Fprintf(&b, "attempt %d: ", a.Number)
		if a.OK {
			fmt.Fprintf(&b, "passed in %s\n", short(a.Duration))
			continue
		}
		fmt.Fprintf(&b, "%s after %s: %s\n", a.Reason, short(a.Duration), errorText(a.Err))
	}
	return b.String()
}
