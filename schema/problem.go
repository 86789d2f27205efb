package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sonde/probe"
)

// Problem is something wrong with a file, or, when Warning is set, worth a look.
type Problem struct {
	File string
	// Line and Column count from 1, Column in characters. What has no place of its own stands at 1:1.
	Line, Column int
	// Text says what is wrong and what is wanted, with the path of the value in the file's words.
	Text string
	// Rule is the short stable name of the rule that is broken, such as unknown-key.
	Rule string
	// Warning is true when the file works all the same.
	Warning bool
}

// String is the problem on one line: file:line:col: text.
func (p Problem) String() string {
	s := p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column) + ": "
	if p.Warning {
		s += "warning: "
	}
	return s + p.Text
}

// Problems are all that is wrong with a set of files, sorted by file, line and column.
type Problems []Problem

// Error is one line a problem.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

// maxProblems bounds, of problems and of warnings each, the memory that a hopeless file costs; nobody
// reads further.
const maxProblems = 1000

// enough are so many problems more than are shown that no further probe is read.
const enough = 20_000

// pos is a place in a file.
type pos struct {
	file         string
	line, column int
}

func (p pos) String() string { return fmt.Sprintf("%s:%d:%d", p.file, p.line, p.column) }

// from is the place as another file calls it: without the file's name when it is the same.
func (p pos) from(file string) string {
	if p.file == file {
		return fmt.Sprintf("%d:%d", p.line, p.column)
	}
	return p.String()
}

// finding is a problem before it is put together: one value may be at fault in many uses.
type finding struct {
	pos
	rule    string
	path    string
	text    string
	warning bool
	used    string // where the value was used first: used at 3:7
	from    string // how its file came to be read: included at a.yaml:2:5
	more    int    // further uses, or for a warning the number of probes that it concerns
	shared  bool   // a warning at a value that more than one probe may inherit
}

// collector gathers findings. One value that is at fault in the same way for several uses is one.
type collector struct {
	found    []finding
	seen     map[string]int // index in found, of those that may come again
	problems tally
	warnings tally
	added    int // counts all that was found, again or for the first time
}

// tally counts what was found, and what was too much. Warnings have one of their own, so that however
// many there are they hide no problem.
type tally struct{ kept, missed int }

func (c *collector) tally(warning bool) *tally {
	if warning {
		return &c.warnings
	}
	return &c.problems
}

// hopeless is true when so much is wrong that it is not worth to look further.
func (c *collector) hopeless() bool { return c.problems.missed > enough }

// add keeps a finding. A second one of the same key only counts.
func (c *collector) add(key string, f finding) {
	c.added++
	if i, again := c.seen[key]; again {
		if first := &c.found[i]; first.used == "" && !first.warning {
			first.used = f.used
		} else {
			first.more++
		}
		return
	}
	t := c.tally(f.warning)
	if t.kept >= maxProblems {
		t.missed++
		return
	}
	t.kept++
	if c.seen == nil {
		c.seen = map[string]int{}
	}
	c.seen[key] = len(c.found)
	c.found = append(c.found, f)
}

// problem reports that something is wrong at a place. The text follows the path, as in `is 999, want …`.
func (c *collector) problem(at place, rule, text string) {
	if c.hopeless() {
		return // it costs time, and changes nothing that is said
	}
	f := finding{pos: at.pos(), rule: rule, path: at.path.String(), text: text}
	f.from = at.doc.from
	if at.via != nil {
		f.used = "used at " + at.via.from(f.file)
	}
	c.add(strings.Join([]string{f.pos.String(), rule, text}, "\x00"), f)
}

// warn reports that something at a place is worth a look; shared says that other probes may inherit
// the value. It stands once at the value, however many probes it concerns.
func (c *collector) warn(at place, shared bool, rule, text string) {
	f := finding{pos: at.pos(), rule: rule, path: at.path.String(), text: text, warning: true, more: 1}
	f.shared = shared || at.via != nil
	c.add(strings.Join([]string{f.pos.String(), rule}, "\x00"), f)
}

// sorted parts the findings into problems and warnings, in the order of the files' text.
func (c *collector) sorted() (problems Problems, warnings []Problem) {
	slices.SortStableFunc(c.found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	for i := range c.found {
		if p := c.found[i].problem(); p.Warning {
			warnings = append(warnings, p)
		} else {
			problems = append(problems, p)
		}
	}
	return c.problems.more(problems, "problem"), c.warnings.more(warnings, "warning")
}

// more ends a list with how many it lacks.
func (t tally) more(list []Problem, noun string) []Problem {
	if t.missed == 0 {
		return list
	}
	last := list[len(list)-1]
	count := probe.Count(t.missed, "more "+noun)
	if t.missed > enough {
		count = fmt.Sprintf("more than %d more %ss", enough, noun)
	}
	last.Rule, last.Text = RuleMore, fmt.Sprintf("there are %s, not shown; mend these first", count)
	return append(list, last)
}

// longestPath is how long a path is shown: nobody reads one of ten thousand steps.
const longestPath = 400

// ends is a path without its middle, where it is too long.
func ends(path string) string {
	if len(path) <= longestPath {
		return path
	}
	tail := len(path) - longestPath/2
	for !utf8.RuneStart(path[tail]) {
		tail++
	}
	return probe.Clip(path, longestPath/2) + "…" + path[tail:]
}

// problem puts the finding into one sentence.
func (f *finding) problem() Problem {
	text := f.text
	if f.path != "" {
		text = ends(f.path) + " " + text
	}
	switch {
	case f.warning && f.shared:
		text += fmt.Sprintf(" (%s)", probe.Count(f.more, "probe"))
	case f.used != "" && f.more > 0:
		text += fmt.Sprintf(" (%s and %s)", f.used, probe.Count(f.more, "more place"))
	case f.used != "":
		text += fmt.Sprintf(" (%s)", f.used)
	case f.from != "" && !f.warning:
		text += fmt.Sprintf(" (%s)", f.from)
	}
	return Problem{
		File: f.file, Line: max(1, f.line), Column: max(1, f.column), Text: probe.Printable(text), Rule: f.rule, Warning: f.warning,
	}
}
