package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"sonde/probe"
	"sonde/schema/report/junit"
)

// JUnit XML has no flaky. Down is a failure, unknown an error; a flaky probe passes, and its properties
// and its output say what happened.

// writeJUnit prints the results as one test suite; started is when the first began and took how long
// all of it lasted.
func writeJUnit(w io.Writer, results []*probe.Result, started time.Time, took time.Duration) error {
	suite := junit.Suite{Name: "sonde", Time: junit.Seconds(took), Timestamp: junit.Timestamp(started)}
	for _, r := range results {
		suite.Cases = append(suite.Cases, caseOf(r))
	}
	return junit.Write(w, junit.Suites{Name: suite.Name, Time: suite.Time, Suites: []junit.Suite{suite}})
}

func caseOf(r *probe.Result) junit.Case {
	c := junit.Case{
		Name: clean(r.Probe.Name), Class: clean(classOf(r.Probe)), Time: junit.Seconds(r.Duration),
		Properties: propertiesOf(r), Output: transcript(r),
	}
	fault := &junit.Fault{Message: errorText(r.Err), Type: string(r.Reason), Text: c.Output}
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

func propertiesOf(r *probe.Result) *junit.Properties {
	return &junit.Properties{List: []junit.Property{
		{Name: "verdict", Value: string(r.Verdict)}, {Name: "kind", Value: r.Probe.Kind},
		{Name: "target", Value: clean(r.Probe.Target)}, {Name: "attempts", Value: fmt.Sprint(r.Charged())},
		{Name: "reason", Value: string(r.Reason)}, {Name: "stop", Value: string(r.Stop)},
	}}
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
