// Package junit writes JUnit XML, which CI programs read: suites of test cases, with those attributes
// and elements that all of these programs know. It cleans no text; whoever fills it in does.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"time"
)

// Suites is a whole file.
type Suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	// Tests, Failures and Errors are counted by Write.
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	// Skipped is not written when it is nil.
	Skipped *int `xml:"skipped,attr"`
	// Time is how long everything took, in seconds: see Seconds.
	Time   string  `xml:"time,attr"`
	Suites []Suite `xml:"testsuite"`
}

// Suite is what was tested together.
type Suite struct {
	Name string `xml:"name,attr"`
	// Tests, Failures and Errors are counted by Write.
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
	// Timestamp is when it began: see Timestamp. Empty is not written.
	Timestamp string `xml:"timestamp,attr,omitempty"`
	Cases     []Case `xml:"testcase"`
}

// Case is one test. It passed unless it has a failure or an error.
type Case struct {
	Name string `xml:"name,attr"`
	// Class is under what CI programs gather the case.
	Class string `xml:"classname,attr"`
	// File is where what was tested stands; empty is not written.
	File string `xml:"file,attr,omitempty"`
	Time string `xml:"time,attr"`
	// Properties are not written when they are nil.
	Properties *Properties `xml:"properties"`
	// Failure says that what was tested is wrong, Error that it could not be tested.
	Failure *Fault `xml:"failure"`
	Error   *Fault `xml:"error"`
	Output  string `xml:"system-out,omitempty"`
}

// Properties are what to know of a case.
type Properties struct {
	List []Property `xml:"property"`
}

// Property is something to know of a case.
type Property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// Fault is why a case did not pass. Some programs show the message alone.
type Fault struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// Write counts what is in the suites, and writes them. The error is the writer's.
func Write(w io.Writer, all Suites) error {
	all.count()
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func (all *Suites) count() {
	for i := range all.Suites {
		s := &all.Suites[i]
		s.Tests, s.Failures, s.Errors = len(s.Cases), 0, 0
		for _, c := range s.Cases {
			if c.Failure != nil {
				s.Failures++
			}
			if c.Error != nil {
				s.Errors++
			}
		}
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
	}
}

// Seconds is a duration as JUnit has it.
func Seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// Timestamp is an instant as JUnit has it: in UTC, to the second, without a zone.
func Timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }
