package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"strings"
	"testing"

	"sonde/schema"
	"sonde/schema/report/junit"
)

func TestWriteKnowsItsFormats(t *testing.T) {
	t.Parallel()
	if len(Formats()) != len(writers) {
		t.Errorf("formats %v, but %d writers", Formats(), len(writers))
	}
	err := Write(&bytes.Buffer{}, "yaml", Report{})
	if want := `there is no format "yaml", want one of [text json github sarif junit gitlab]`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// broke is a writer that takes nothing.
type broke struct{}

var errBroke = errors.New("broke")

func (broke) Write([]byte) (int, error) { return 0, errBroke }

func TestWritePassesTheErrorOn(t *testing.T) {
	t.Parallel()
	for _, f := range Formats() {
		if err := Write(broke{}, f, ofHostile()); !errors.Is(err, errBroke) {
			t.Errorf("%s: got %v", f, err)
		}
	}
}

// TestPrint: what is printed where. It sets the environment, so it runs alone.
func TestPrint(t *testing.T) {
	r := Report{Problems: many(1, false)}
	text, annotation := "p.yaml:1:1: finding 1 [bad-value]\n", "::error file=p.yaml,line=1,col=1,title=sonde%3A bad-value::finding 1\n"
	for _, test := range []struct {
		actions        string
		format         Format
		stdout, stderr string
	}{
		{"", Auto, "", text},
		{"false", Auto, "", text},
		{"true", Auto, annotation, text},
		{"true", Text, "", text},
		{"true", GitLab, written(t, GitLab, r), ""},
		{"", GitHub, annotation, ""},
	} {
		t.Setenv("GITHUB_ACTIONS", test.actions)
		var stdout, stderr bytes.Buffer
		if err := Print(&stdout, &stderr, test.format, r); err != nil {
			t.Fatal(err)
		}
		if stdout.String() != test.stdout || stderr.String() != test.stderr {
			t.Errorf("%+v: got %q and %q", test, stdout.String(), stderr.String())
		}
	}
	if err := Print(broke{}, broke{}, Auto, r); !errors.Is(err, errBroke) {
		t.Errorf("got %v", err)
	}
}

func TestWorkspace(t *testing.T) {
	t.Setenv("GITHUB_WORKSPACE", "")
	t.Setenv("CI_PROJECT_DIR", "/builds/shop")
	if got := Workspace(); got != "/builds/shop" {
		t.Errorf("got %q", got)
	}
	t.Setenv("GITHUB_WORKSPACE", "/home/runner/shop")
	if got := Workspace(); got != "/home/runner/shop" {
		t.Errorf("got %q", got)
	}
}

// TestJUnitHasACaseForEachFile, also for one that only a finding names.
func TestJUnitHasACaseForEachFile(t *testing.T) {
	t.Parallel()
	r := Report{
		Files:    []string{"fine.yaml", "p.yaml"},
		Problems: append(many(2, false), schema.Problem{File: "included.yaml", Line: 1, Column: 1, Text: "x", Rule: "syntax"}),
		Warnings: many(1, true),
	}
	var suites junit.Suites
	if err := xml.Unmarshal([]byte(written(t, JUnit, r)), &suites); err != nil {
		t.Fatal(err)
	}
	suite := suites.Suites[0]
	if suites.Tests != 3 || suites.Failures != 2 || suite.Tests != 3 || suite.Failures != 2 || len(suite.Cases) != 3 {
		t.Errorf("got %+v, want 3 tests of which 2 fail", suites)
	}
	fine, wrong, included := suite.Cases[0], suite.Cases[1], suite.Cases[2]
	if fine.Name != "fine.yaml" || fine.Failure != nil || fine.Output != "" {
		t.Errorf("fine.yaml: %+v", fine)
	}
	if wrong.Failure == nil || wrong.Failure.Message != "2 problems, the first: finding 1" || strings.Count(wrong.Failure.Text, "\n") != 2 ||
		!strings.Contains(wrong.Output, "warning: finding 1") {
		t.Errorf("p.yaml: %+v", wrong)
	}
	if included.Name != "included.yaml" || included.Failure.Type != "syntax" || included.Failure.Message != "x" {
		t.Errorf("included.yaml: %+v", included)
	}
}
