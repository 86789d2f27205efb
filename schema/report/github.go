package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"sonde/probe"
	"sonde/schema"
)

// maxAnnotations is how many annotations of one level GitHub shows for a step; of more it shows nothing.
const maxAnnotations = 10

// writeGitHub writes workflow commands that annotate lines: errors first, then warnings, at most ten of
// each, and a notice of what is left out. What is left out follows as text, for the log.
func writeGitHub(w io.Writer, r Report) error {
	b := bufio.NewWriter(w)
	problems, warnings := Report{Problems: r.Problems}.all(), Report{Warnings: r.Warnings}.all()
	var rest []schema.Problem
	for _, level := range [][]schema.Problem{problems, warnings} {
		shown := level[:min(len(level), maxAnnotations)]
		for _, p := range shown {
			r.annotate(b, p)
		}
		rest = append(rest, level[len(shown):]...)
	}
	if len(rest) > 0 {
		summarise(b, len(problems), len(warnings))
	}
	for _, p := range rest {
		fmt.Fprintln(b, line(p))
	}
	return b.Flush()
}

// annotate writes one annotation.
func (r Report) annotate(w io.Writer, p schema.Problem) {
	fmt.Fprintf(w, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", severity(p),
		property(r.path(p.File)), p.Line, p.Column, property("sonde: "+p.Rule), message(p.Text))
}

// summarise says how much is shown of how much.
func summarise(w io.Writer, problems, warnings int) {
	text := fmt.Sprintf("GitHub shows %d of %s and %d of %s as annotations; the log of this step has all of them.",
		min(problems, maxAnnotations), probe.Count(problems, "error"), min(warnings, maxAnnotations), probe.Count(warnings, "warning"))
	fmt.Fprintf(w, "::notice title=%s::%s\n", property("sonde: more findings"), message(text))
}

// The characters that mean something in a workflow command, as the toolkit of GitHub's actions writes
// them. Line breaks do not get so far: clean shows them as text, with all else that a log would obey.
var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func message(s string) string  { return inMessage.Replace(clean(s)) }
func property(s string) string { return inProperty.Replace(clean(s)) }
