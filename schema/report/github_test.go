package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/schema"
)

// command is a workflow command as GitHub's runner takes it from a line.
type command struct {
	name, message string
	properties    map[string]string
}

// parseCommand reads a line by the runner's rules: ::name key=value,key=value::message, with %25 and the
// like turned back, the percent sign last. Of what is no command ok is false.
func parseCommand(line string) (c command, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "::")
	head, message, found := strings.Cut(rest, "::")
	if !ok || !found {
		return c, false
	}
	name, list, _ := strings.Cut(head, " ")
	c = command{name: name, message: back(message, "%0D", "\r", "%0A", "\n", "%25", "%"), properties: map[string]string{}}
	for _, pair := range strings.Split(list, ",") {
		if key, value, isPair := strings.Cut(pair, "="); isPair {
			c.properties[strings.TrimSpace(key)] = back(value, "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
		}
	}
	return c, true
}

// back replaces one pair after the other, as the runner does.
func back(s string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		s = strings.ReplaceAll(s, pairs[i], pairs[i+1])
	}
	return s
}

// commandsOf are the commands of an output, and the lines that are none.
func commandsOf(output string) (list []command, rest []string) {
	for _, line := range strings.Split(strings.TrimSuffix(output, "\n"), "\n") {
		if c, ok := parseCommand(line); ok {
			list = append(list, c)
		} else if line != "" {
			rest = append(rest, line)
		}
	}
	return list, rest
}

func TestGitHubIsReadAsItWasMeant(t *testing.T) {
	t.Parallel()
	r := Report{Problems: []schema.Problem{
		{File: "a,b:c=%25d\n::x.yaml", Line: 3, Column: 7, Text: "is 100%, %0A or %25; want 1::2, a=b", Rule: "bad-value"},
	}}
	got, rest := commandsOf(written(t, GitHub, r))
	want := []command{{"error", "is 100%, %0A or %25; want 1::2, a=b", map[string]string{
		"file": `a,b:c=%25d\x0a::x.yaml`, "line": "3", "col": "7", "title": "sonde: bad-value",
	}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(command{})); diff != "" || len(rest) > 0 {
		t.Errorf("rest %q, -want +got:\n%s", rest, diff)
	}
}

// many makes n findings, the last in the file first.
func many(n int, warning bool) (list []schema.Problem) {
	for i := range n {
		list = append(list, schema.Problem{File: "p.yaml", Line: n - i, Column: 1, Text: fmt.Sprint("finding ", n-i), Rule: "bad-value", Warning: warning})
	}
	return list
}

func TestGitHubShowsTenOfALevel(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		errors, warnings int
		want             []int // errors, warnings, notices, lines that are no command
		says             string
	}{
		{0, 0, []int{0, 0, 0, 0}, ""},
		{10, 10, []int{10, 10, 0, 0}, ""},
		{11, 0, []int{10, 0, 1, 1}, "GitHub shows 10 of 11 errors and 0 of 0 warnings as annotations; the log of this step has all of them."},
		{1, 25, []int{1, 10, 1, 15}, "GitHub shows 1 of 1 error and 10 of 25 warnings as annotations; the log of this step has all of them."},
		{400, 12, []int{10, 10, 1, 392}, "GitHub shows 10 of 400 errors and 10 of 12 warnings as annotations; the log of this step has all of them."},
	} {
		commands, rest := commandsOf(written(t, GitHub, Report{Problems: many(test.errors, false), Warnings: many(test.warnings, true)}))
		levels := map[string]int{}
		for _, c := range commands {
			levels[c.name]++
		}
		got := []int{levels["error"], levels["warning"], levels["notice"], len(rest)}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%d errors and %d warnings, -want +got:\n%s", test.errors, test.warnings, diff)
		}
		if n := len(commands); test.says != "" && commands[n-1].message != test.says {
			t.Errorf("got %q, want %q last", commands[n-1].message, test.says)
		}
	}
}

func TestGitHubPutsErrorsFirstAndEachInTheOrderOfLines(t *testing.T) {
	t.Parallel()
	commands, _ := commandsOf(written(t, GitHub, Report{Problems: many(2, false), Warnings: many(2, true)}))
	var got []string
	for _, c := range commands {
		got = append(got, c.name+" "+c.properties["line"])
	}
	if diff := cmp.Diff([]string{"error 1", "error 2", "warning 1", "warning 2"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
