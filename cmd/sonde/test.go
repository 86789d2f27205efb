package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sonde/probe"
	"sonde/probe/kinds"
	"sonde/probe/script"
	"sonde/schema"
)

type testCommand struct {
	Files  []string `arg:"" name:"FILE" help:"Files of tests, as examples/tests has them."`
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

Example: sonde test examples/tests/*.yaml`
}

func (c *testCommand) run(ctx context.Context, t *terminal) error {
	var files []*testedFile
	for _, name := range c.Files {
		files = append(files, testFile(ctx, name))
	}
	if err := c.print(t.out, files); err != nil {
		return cannot(fmt.Errorf("printing the results: %w", err), "")
	}
	status := statusOK
	for _, f := range files {
		for _, p := range f.problems {
			fmt.Fprintln(t.err, clean(p.String()))
		}
		if len(f.problems) > 0 {
			t.say("%s: %s", f.name, count(len(f.problems), "problem"))
		}
		status = max(status, f.status())
	}
	if ctx.Err() != nil {
		status = interruptStatus(context.Cause(ctx))
	}
	if status == statusOK {
		return nil
	}
	return exitStatus(status)
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

// testFile runs the tests of a file.
func testFile(ctx context.Context, name string) *testedFile {
	f := &testedFile{name: name, began: time.Now()}
	defer func() { f.took = time.Since(f.began) }()
	var file script.File
	doc, err := readTests(name, &file)
	if err != nil {
		f.problems = problemsOf(name, err)
		return f
	}
	network := script.New()
	probes, err := probesOf(ctx, name, &file, network)
	if err != nil {
		f.problems = problemsOf(name, err)
		return f
	}
	defer closeAll(probes)
	for i := range file.Tests {
		if ctx.Err() != nil {
			break
		}
		test, place := &file.Tests[i], fmt.Sprintf("tests[%d]", i)
		p, err := pick(probes, []string{test.Probe})
		if err != nil {
			f.problems = append(f.problems, doc.Problem(probe.Fault{Place: place + ".probe", Text: noProbe(test.Probe, probes)}))
			continue
		}
		f.tests = append(f.tests, play(ctx, network, p[0], test, func(path, text string) schema.Problem {
			p := doc.Problem(probe.Fault{Place: place + "." + path})
			p.Text, p.Rule = text, test.Name
			return p
		}))
	}
	return f
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

// readTests reads a file of tests.
func readTests(name string, into *script.File) (*schema.Document, error) {
	data, err := schema.System().ReadFile(name, 64<<20) // more than Decode takes
	if err != nil {
		return nil, err
	}
	return schema.Decode(name, data, into)
}

// probesOf loads the probes that a file of tests is for, over the network that plays the tests.
func probesOf(ctx context.Context, name string, file *script.File, n *script.Network) ([]*probe.Probe, error) {
	var paths []string
	for _, p := range file.Probes {
		if !filepath.IsAbs(p) {
			p = filepath.Join(filepath.Dir(name), p)
		}
		paths = append(paths, p)
	}
	all, world := kinds.Over(n, thisBuild().Version), worldOf(name, file)
	s := source{name: strings.Join(paths, ", "), read: func() (*schema.Set, error) { return world.Load(paths, all) }}
	set, err := s.load(ctx)
	if err != nil {
		return nil, err
	}
	return set.Probes, nil
}

// worldOf is the machine on which the probes of a file of tests are read: what is filled in is what the
// file says.
func worldOf(name string, file *script.File) schema.World {
	w := schema.System()
	w.LookupEnv = func(key string) (string, bool) {
		value, ok := file.Env[key]
		return value, ok
	}
	texts := map[string]string{}
	for path, text := range file.Files {
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(name), path)
		}
		if abs, err := filepath.Abs(path); err == nil {
			texts[abs] = text
		}
	}
	read := w.ReadFile
	w.ReadFile = func(path string, limit int64) ([]byte, error) {
		if abs, err := filepath.Abs(path); err == nil {
			if text, ok := texts[abs]; ok {
				return []byte(text), nil
			}
		}
		return read(path, limit)
	}
	return w
}

// problemsOf are the problems that an error is; one that has no place stands at the beginning of the file.
func problemsOf(name string, err error) []schema.Problem {
	var problems schema.Problems
	if errors.As(err, &problems) {
		return problems
	}
	text := err.Error()
	var path *fs.PathError
	if errors.As(err, &path) {
		text = fmt.Sprintf("%s: %s", path.Path, path.Err)
	}
	return []schema.Problem{{File: name, Line: 1, Column: 1, Text: text}}
}

// noProbe says that a test's probe is not there.
func noProbe(name string, probes []*probe.Probe) string {
	var all []string
	for _, p := range probes {
		all = append(all, p.Name)
	}
	text := fmt.Sprintf("is %q, which is none of the probes that are enabled", name)
	if near := nearest(name, all); near != "" {
		text += "; did you mean " + near + "?"
	}
	return text
}
