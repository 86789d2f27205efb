// Package report writes what is wrong with definition files: as lines for people, and in the formats
// that CI programs read. It knows what every rule means, too, with a mistake and its mend for each.
//
// A file here is a format; clean.go and path.go make names and texts fit for all of them, fingerprint.go
// names a finding so that it is known again, and explain.go speaks of the rules. FORMATS.md is the page
// for users.
package report

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"

	"sonde/schema"
)

// Report is what is to be said of a set of files.
type Report struct {
	// Name is what was checked, in the words of whoever asked.
	Name string
	// Version is sonde's own; empty is not told.
	Version string
	// Root is the folder that paths are relative to where a CI program reads them; empty is the working
	// directory. What lies outside of it keeps its absolute path.
	Root string
	// Probes is how many probes the files declare; 0 when there are problems.
	Probes int
	// Files is every file that was read.
	Files []string
	// Problems and Warnings are as schema.Checked has them. They need no order.
	Problems []schema.Problem
	Warnings []schema.Problem
	// Source reads a file once more, for its lines; nil reads it from disk. Of what cannot be read the
	// fingerprints do without the text.
	Source func(name string) ([]byte, error)
}

// Of is the report of what schema.World.Check found.
func Of(name string, c *schema.Checked) Report {
	r := Report{Name: name, Files: c.Files, Problems: c.Problems, Warnings: c.Warnings}
	if c.Set != nil {
		r.Probes = len(c.Set.Probes)
	}
	return r
}

// Format is a way to write a report.
type Format string

// The formats.
const (
	Text   Format = "text"   // a line for each finding: file:line:column: text [rule]
	JSON   Format = "json"   // one object; its field names are a promise
	GitHub Format = "github" // annotations of GitHub Actions
	SARIF  Format = "sarif"  // SARIF 2.1.0, for code scanning
	JUnit  Format = "junit"  // JUnit XML, a test case for each file
	GitLab Format = "gitlab" // GitLab's code quality report
)

// Auto, for Print, is text, and in GitHub Actions annotations beside it.
const Auto Format = "auto"

// writers has what writes each format.
var writers = map[Format]func(io.Writer, Report) error{
	Text: writeText, JSON: writeJSON, GitHub: writeGitHub, SARIF: writeSARIF, JUnit: writeJUnit, GitLab: writeGitLab,
}

// Formats are all formats, in the order in which people are told of them.
func Formats() []Format { return []Format{Text, JSON, GitHub, SARIF, JUnit, GitLab} }

// Write writes the report in a format. The error is the writer's, or says that there is no such format.
func Write(w io.Writer, f Format, r Report) error {
	write := writers[f]
	if write == nil {
		return fmt.Errorf("there is no format %q, want one of %v", f, Formats())
	}
	return write(w, r)
}

// Print writes the report to where it belongs: text to stderr, every other format to stdout.
func Print(stdout, stderr io.Writer, f Format, r Report) error {
	switch {
	case f == Text || f == Auto && !inActions():
		return Write(stderr, Text, r)
	case f == Auto:
		if err := Write(stderr, Text, r); err != nil {
			return err
		}
		return Write(stdout, GitHub, r)
	}
	return Write(stdout, f, r)
}

// inActions is true within a job of GitHub Actions.
func inActions() bool { return os.Getenv("GITHUB_ACTIONS") == "true" }

// Workspace is the folder of the repository that a CI program checks, empty elsewhere: a Root.
func Workspace() string {
	return cmp.Or(os.Getenv("GITHUB_WORKSPACE"), os.Getenv("CI_PROJECT_DIR"))
}

// all is problems and warnings, in the order of files, lines and columns.
func (r Report) all() []schema.Problem {
	list := slices.Concat(r.Problems, r.Warnings)
	slices.SortStableFunc(list, func(a, b schema.Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return list
}

// severity is what a finding is called.
func severity(p schema.Problem) string {
	if p.Warning {
		return "warning"
	}
	return "error"
}
