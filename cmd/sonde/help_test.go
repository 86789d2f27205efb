package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// commandNodes are the commands that help lists.
func commandNodes(t *testing.T) []*kong.Node {
	t.Helper()
	parser, err := newParser(&cli{}, newTerminal(t.Output(), t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Leaves(true)
}

// TestEveryHelpEndsWithAnExample holds that each page of help ends with a call that sonde understands.
func TestEveryHelpEndsWithAnExample(t *testing.T) {
	t.Parallel()
	pages := [][]string{{"--help"}}
	for _, node := range commandNodes(t) {
		pages = append(pages, []string{node.Name, "--help"})
	}
	for _, page := range pages {
		var out bytes.Buffer
		if code := dispatch(t.Context(), page, &out, t.Output()); code != statusOK {
			t.Errorf("sonde %q exits %d", page, code)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, exampleMark+"sonde ") {
			t.Errorf("sonde %s ends with %q, want an example", strings.Join(page, " "), last)
		}
		for _, line := range lines {
			if call, ok := strings.CutPrefix(line, exampleMark); ok {
				call, _, _ = strings.Cut(call, " > ")
				understood(t, "the help of "+page[0], strings.Fields(call)[1:])
			}
		}
	}
}

// exampleFiles are what the examples of the help speak of.
var exampleFiles = map[string]string{
	"probes.yaml": `
probes:
  - name: shop-home
    retry: {attempts: 1}
    http: {url: "http://127.0.0.1:1/"}
`,
	"old.yaml":              "probes:\n- {name: shop-home, http: {url: 'http://127.0.0.1:1/'}}\n",
	"team/a.yml":            "probes:\n- {name: a, tcp: {address: '127.0.0.1:1'}}\n",
	"tests.yaml":            "probes: probes.yaml\ntests:\n- {name: a deploy, probe: shop-home, script: [{status: 503}], want: {verdict: down}}\n",
	"examples/tests/a.yaml": "probes: ../../probes.yaml\ntests:\n- {name: a, probe: shop-home, script: [{}], want: {verdict: up}}\n",
}

// TestExamplesOfHelpRun runs the examples of all commands, where those files are. Those that go on, and
// listen, are run by other tests.
func TestExamplesOfHelpRun(t *testing.T) {
	t.Parallel()
	for _, node := range commandNodes(t) {
		_, examples := cutExamples(node.Detail)
		for _, call := range examples {
			if slices.Contains([]string{"run", "demo"}, node.Name) {
				continue
			}
			t.Run(call, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				for name, text := range exampleFiles {
					if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
						t.Fatal(err)
					}
					put(t, filepath.Join(dir, name), text)
				}
				if node.Name == "init" {
					os.Remove(filepath.Join(dir, "probes.yaml"))
				}
				cmd := exec.Command("sh", "-c", call)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "GORACE=atexit_sleep_ms=0")
				out, err := cmd.CombinedOutput()
				var exit *exec.ExitError
				if err != nil && !errors.As(err, &exit) || cmd.ProcessState.ExitCode() == statusCannot {
					t.Errorf("%v:\n%s", err, out)
				}
			})
		}
	}
}
