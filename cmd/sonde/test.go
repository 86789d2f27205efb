package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sonde/probe"
	"sonde/probe/script"
	"sonde/schema"
)

type testCommand struct {
	Files  []string `arg:"" name:"FILE" help:"Files of tests, as examples/tests has them; folders of them, and patterns such as 'tests/*.yaml'."`
	Run    []string `sep:"none" placeholder:"REGEX" help:"Run only the tests whose names match this regular expression; may be repeated."`
	Output string   `short:"o" enum:"auto,text,junit,github" default:"auto" help:"How results are printed: ${enum}. By default text, and in GitHub Actions annotations beside it."`
}

// Help is shown by sonde test --help.
func (*testCommand) Help() string {
	return `A test says what an endpoint does at each attempt, and what the run must come to. The real engine runs the real probe in virtual time: nothing is sent, and an hour of waits takes none. What ${NAME} and ${file:PATH} fill in stands under env and files. Exits 0 when all passed, 1 when some failed, 2 when some could not run.

    probes: probes.yaml
    tests:
      - name: passes at the third attempt
        probe: shop-home
        script: [{status: 503}, {connect: refused}, {body: Add to cart, delay: 200ms}]
        want: {verdict: flaky, attempts: 3, waits: [750ms, 1250ms]}

Example: sonde test examples/tests/
Example: sonde test tests.yaml --run deploy`
}

func (c *testCommand) run(ctx context.Context, t *terminal) error {
	chosen, err := selectionOf(c.Run)
	if err != nil {
		return cannot(err, "")
	}
	files, err := c.files(ctx, chosen)
	if err != nil {
		return err
	}
	if err := c.print(t.out, files); err != nil {
		return cannot(fmt.Errorf("printing the results: %w", err), "")
	}
	status, names := statusOK, []string(nil)
	for _, f := range files {
		names = append(names, f.names...)
		for _, p := range f.problems {
			fmt.Fprintln(t.err, clean(p.String()))
		}
		if len(f.problems) > 0 {
			t.say("%s: %s", f.name, count(len(f.problems), "problem"))
			if slices.ContainsFunc(f.problems, func(p schema.Problem) bool { return p.Rule == schema.RuleFill }) {
				t.say("hint: what ${NAME} and ${file:PATH} fill in stands in the file of tests, as in env: {NAME: x} and files: {PATH: x}")
			}
		}
		status = max(status, f.status())
	}
	if ctx.Err() != nil {
		return exitStatus(interruptStatus(context.Cause(ctx)))
	}
	// Where no test could be read, what is wrong has been said.
	if lost := chosen.unmatched(names); len(lost) > 0 && (len(names) > 0 || status == statusOK) {
		return noSuchTest(lost, names)
	}
	if status == statusOK {
		return nil
	}
	return exitStatus(status)
}

// files runs the chosen tests of all files that the arguments name.
func (c *testCommand) files(ctx context.Context, chosen selection) ([]*testedFile, error) {
	var files []*testedFile
	seen := map[string]bool{}
	for _, arg := range c.Files {
		names, err := testFilesOf(arg)
		if err != nil {
			return nil, cannot(err, "name a file of tests, or a folder with such files")
		}
		for _, name := range names {
			if !seen[filepath.Clean(name)] {
				files = append(files, testFile(ctx, name, chosen))
			}
			seen[filepath.Clean(name)] = true
		}
	}
	return files, nil
}

func (c *testCommand) print(w io.Writer, files []*testedFile) error {
	switch {
	case c.Output == "junit":
		return writeTestsJUnit(w, files)
	case c.Output == "github", c.Output == "auto" && os.Getenv("GITHUB_ACTIONS") == "true":
		return writeTestsGitHub(w, files)
	}
	return writeTests(w, files)
}

// testedFile is what came of a file of tests.
type testedFile struct {
	name  string
	names []string // of all tests, those that were not chosen too
	tests []*tested
	// problems are why tests could not run, be it in this file or in one that it names.
	problems []schema.Problem
	began    time.Time
	took     time.Duration
}

// tested is what came of a test.
type tested struct {
	name   string
	result *probe.Result
	// wrong are what came out otherwise than wanted, each at its place in the file.
	wrong []schema.Problem
	took  time.Duration
}

// status is the exit status that the file calls for.
func (f *testedFile) status() int {
	if len(f.problems) > 0 {
		return statusCannot
	}
	for _, t := range f.tests {
		if len(t.wrong) > 0 {
			return statusFailed
		}
	}
	return statusOK
}

// testFile runs the chosen tests of a file.
func testFile(ctx context.Context, name string, chosen selection) *testedFile {
	f := &testedFile{name: name, began: time.Now()}
	defer func() { f.took = time.Since(f.began) }()
	var file script.File
	doc, err := readTests(name, &file)
	switch {
	case err != nil && declaresProbes(name): // else each of its keys would be one that is not known
		f.problems = []schema.Problem{{File: name, Line: 1, Column: 1, Text: "this is a file of probes, and not one of tests; use sonde check " + name}}
		return f
	case err != nil:
		f.problems = problemsOf(name, err)
		return f
	}
	for _, test := range file.Tests {
		f.names = append(f.names, test.Name)
	}
	if !slices.ContainsFunc(f.names, chosen.has) {
		return f
	}
	network := script.New()
	set, err := probesOf(ctx, name, &file, network)
	if err != nil {
		f.problems = problemsOf(name, err)
		return f
	}
	defer closeAll(set.Probes)
	f.play(ctx, network, set, &file, doc, chosen)
	return f
}

// play runs the chosen tests, each on its probe of the set.
func (f *testedFile) play(ctx context.Context, network *script.Network, set *schema.Set, file *script.File, doc *schema.Decoded, chosen selection) {
	for i := range file.Tests {
		if ctx.Err() != nil {
			break
		}
		test, place := &file.Tests[i], fmt.Sprintf("tests[%d]", i)
		if !chosen.has(test.Name) {
			continue
		}
		at := slices.IndexFunc(set.Probes, func(p *probe.Probe) bool { return p.Name == test.Probe })
		if at < 0 {
			f.problems = append(f.problems, doc.Problem(probe.Fault{Place: place + ".probe", Text: noProbe(test.Probe, set)}))
			continue
		}
		f.tests = append(f.tests, play(ctx, network, set.Probes[at], test, func(path, text string) schema.Problem {
			p := doc.Problem(probe.Fault{Place: place + "." + path})
			p.Text, p.Rule = text, test.Name
			return p
		}))
	}
}

// play runs one test. at makes a problem of a path below the test and a text.
func play(ctx context.Context, n *script.Network, p *probe.Probe, test *script.Test, at func(path, text string) schema.Problem) *tested {
	began := time.Now()
	played := n.Play(ctx, p, test)
	t := &tested{name: test.Name, result: played.Result, took: time.Since(began)}
	for _, f := range played.Faults {
		t.wrong = append(t.wrong, at(f.Place, f.Error()))
	}
	for _, m := range test.Want.Compare(played) {
		t.wrong = append(t.wrong, at(m.Place, m.String()))
	}
	return t
}
