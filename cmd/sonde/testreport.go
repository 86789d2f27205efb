package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"sonde/probe"
	"sonde/schema"
	"sonde/schema/report"
	"sonde/schema/report/junit"
)

// writeTests prints a line a test, and of one that failed what was wrong and what happened.
func writeTests(w io.Writer, files []*testedFile) error {
	var b strings.Builder
	all, failed := 0, 0
	for _, f := range files {
		for _, t := range f.tests {
			all++
			word := "ok"
			if len(t.wrong) > 0 {
				failed++
				word = "FAILED"
			}
			fmt.Fprintf(&b, "%-7s %s: %s (%s)\n", word, clean(f.name), clean(t.name), summaryOf(t.result))
			t.writeWrong(&b)
		}
	}
	if all > 0 {
		fmt.Fprintf(&b, "%s: %d ok, %d failed\n", count(all, "test"), all-failed, failed)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeWrong prints a line for each thing that was wrong, its place first, and what happened.
func (t *tested) writeWrong(b *strings.Builder) {
	if len(t.wrong) == 0 {
		return
	}
	for _, p := range t.wrong {
		fmt.Fprintln(b, clean(p.String()))
	}
	story := strings.TrimSuffix(story(t.result), "\n")
	fmt.Fprintf(b, "        %s\n", strings.ReplaceAll(story, "\n", "\n        "))
}

// writeTestsGitHub is writeTests, and all that is wrong as annotations, which GitHub shows at the lines
// of the file.
func writeTestsGitHub(w io.Writer, files []*testedFile) error {
	if err := writeTests(w, files); err != nil {
		return err
	}
	r := report.Report{Name: "sonde test", Root: report.Workspace()}
	for _, f := range files {
		r.Problems = append(r.Problems, f.problems...)
		for _, t := range f.tests {
			r.Problems = append(r.Problems, t.wrong...)
		}
	}
	return report.Write(w, report.GitHub, r)
}

// summaryOf says of a run what it came to.
func summaryOf(r *probe.Result) string {
	text := string(r.Verdict)
	if r.Reason != "" {
		text += " for " + string(r.Reason)
	}
	return fmt.Sprintf("%s, %s in %v", text, count(r.Charged(), "attempt"), r.Duration)
}

// story is what happened in a run: a line for each attempt, with the wait after it.
func story(r *probe.Result) string {
	var b strings.Builder
	for i := range r.Attempts {
		a := &r.Attempts[i]
		fmt.Fprintf(&b, "attempt %d", a.Number)
		if a.Transparent {
			b.WriteString(" (transparent)")
		}
		if a.OK {
			fmt.Fprintf(&b, " passed in %v", a.Duration)
		} else {
			fmt.Fprintf(&b, " failed in %v, phase %v, %s: %s: %s", a.Duration, a.Phase, a.Evidence, a.Reason, a.Reason.Beside(errorText(a.Err)))
		}
		if a.WaitSource != "" {
			fmt.Fprintf(&b, "; then %v of %s", a.Wait, a.WaitSource)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s, stop %s\n", r.Verdict, r.Stop)
	return b.String()
}

// writeTestsJUnit prints a test suite a file. What could not run is an error.
func writeTestsJUnit(w io.Writer, files []*testedFile) error {
	all, took := junit.Suites{Name: "sonde test"}, time.Duration(0)
	for _, f := range files {
		if len(f.tests)+len(f.problems) == 0 {
			continue // none was chosen
		}
		took += f.took
		all.Suites = append(all.Suites, f.suite())
	}
	all.Time = junit.Seconds(took)
	return junit.Write(w, all)
}

func (f *testedFile) suite() junit.Suite {
	s := junit.Suite{Name: clean(f.name), Time: junit.Seconds(f.took), Timestamp: junit.Timestamp(f.began)}
	for _, t := range f.tests {
		c := junit.Case{Name: clean(t.name), Class: clean(f.name), Time: junit.Seconds(t.took), Properties: propertiesOf(t.result), Output: story(t.result)}
		if len(t.wrong) > 0 {
			c.Failure = faultOf("mismatch", t.wrong)
		}
		s.Cases = append(s.Cases, c)
	}
	if len(f.problems) > 0 {
		s.Cases = append(s.Cases, junit.Case{
			Name: "can run", Class: clean(f.name), Time: junit.Seconds(0),
			Properties: &junit.Properties{List: []junit.Property{{Name: "verdict"}}}, Error: faultOf("problem", f.problems),
		})
	}
	return s
}

// faultOf is a fault of which the first line is the message.
func faultOf(kind string, problems []schema.Problem) *junit.Fault {
	var lines []string
	for _, p := range problems {
		lines = append(lines, clean(p.String()))
	}
	return &junit.Fault{Message: clean(problems[0].Text), Type: kind, Text: strings.Join(lines, "\n")}
}
