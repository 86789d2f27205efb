package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe/conn"
)

// pages are those that people have written and that show files and commands.
var pages = []string{"README.md", "probe/shard/SHARDS.md", "probe/metrics/SERIES.md", "cmd/bench/BENCHMARK.md", "cmd/sonde/JSON.md", "examples/MIGRATING.md"}

// fences are a page's code blocks of a language.
func fences(t *testing.T, page, language string) []string {
	t.Helper()
	var blocks []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(readFile(t, page), -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

func TestPagesYAMLLoads(t *testing.T) {
	t.Parallel()
	loaded := map[string]int{}
	for _, page := range pages {
		for _, block := range fences(t, page, "yaml") {
			if !strings.Contains(block, "\ntests:") {
				loadText(t, block)
				loaded[page]++
			}
		}
	}
	want := map[string]int{"README.md": 2, "probe/shard/SHARDS.md": 1, "probe/metrics/SERIES.md": 1, "examples/MIGRATING.md": 2}
	if diff := cmp.Diff(want, loaded); diff != "" {
		t.Errorf("files that the pages show, -want +got:\n%s", diff)
	}
}

// TestReadmeTestsPass runs the tests that README shows, on the probes that it shows.
func TestReadmeTestsPass(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, marker := range map[string]string{"probes.yaml": "defaults:", "tests.yaml": "\ntests:"} {
		for _, block := range fences(t, "README.md", "yaml") {
			if strings.Contains(block, marker) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(block), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	passes(t, filepath.Join(dir, "tests.yaml"))
}

// TestPagesCommands holds that sonde understands each command line that the pages show, and that CI runs
// the tests in README's words. The tests of cmd/bench hold that tool's.
func TestPagesCommands(t *testing.T) {
	t.Parallel()
	sonde := regexp.MustCompile(`^(?:go run ./cmd/sonde|sonde) ([^|]*)`)
	var tests []string
	for _, page := range pages {
		blocks := fences(t, page, "sh")
		if len(blocks) == 0 {
			t.Errorf("%s shows no command", page)
		}
		for line := range strings.Lines(strings.Join(blocks, "")) {
			line, _, _ = strings.Cut(line, " #")
			line = strings.TrimSpace(line)
			if m := sonde.FindStringSubmatch(line); m != nil {
				understood(t, page, strings.Fields(m[1]))
			}
			if strings.HasPrefix(line, "go test") {
				tests = append(tests, line)
			}
		}
	}
	if len(tests) != 1 || !strings.Contains(readFile(t, ".ci/run"), "\n"+tests[0]+"\n") {
		t.Errorf("the pages have %q for the tests, want one command, that .ci/run runs", tests)
	}
}

// TestReadmeFirstProbe holds that what README explains first is what its init declares.
func TestReadmeFirstProbe(t *testing.T) {
	t.Parallel()
	text := readFile(t, "README.md")
	init := regexp.MustCompile("(?m)^sonde (init --url .*)$").FindStringSubmatch(text)
	explain := regexp.MustCompile("(?m)^sonde explain ([^ ]+) ").FindStringSubmatch(text)
	if init == nil || explain == nil {
		t.Fatal("README.md shows no init with URLs, or no explain after it")
	}
	file := filepath.Join(t.TempDir(), "probes.yaml")
	var stderr bytes.Buffer
	if code := dispatch(t.Context(), append(strings.Fields(init[1]), file), &bytes.Buffer{}, &stderr); code != statusOK {
		t.Fatalf("%s exits %d: %s", init[1], code, &stderr)
	}
	if set := loadShipped(t, file); len(set.Probes) == 0 || set.Probes[0].Name != explain[1] {
		t.Errorf("%s declares %v, want %s first", init[1], set.Probes, explain[1])
	}
}

func TestPagesKnowTheMetrics(t *testing.T) {
	t.Parallel()
	for _, page := range pages {
		text := regexp.MustCompile("`probe_\\*`|probe_gauges:").ReplaceAllString(readFile(t, page), "")
		knownMetrics(t, page, text)
	}
}

// TestPagesLinksLead to files that are there, and to headings that these have.
func TestPagesLinksLead(t *testing.T) {
	t.Parallel()
	for _, page := range pages {
		for _, m := range regexp.MustCompile(`\]\(([^)#]*)(?:#([^)]*))?\)`).FindAllStringSubmatch(readFile(t, page), -1) {
			file, heading := m[1], m[2]
			if strings.HasPrefix(file, "https://") {
				continue
			}
			to := filepath.Join(filepath.Dir(page), file)
			if file == "" {
				to = page
			}
			if _, err := os.Stat(filepath.Join(root, to)); err != nil {
				t.Errorf("%s links to what is not there: %v", page, err)
			} else if heading != "" && !slices.Contains(anchors(readFile(t, to)), heading) {
				t.Errorf("%s links to the heading %q, which %s has not", page, heading, to)
			}
		}
	}
}

// anchors are what leads to the headings of a page, as GitHub makes them.
func anchors(page string) (all []string) {
	for _, m := range regexp.MustCompile("(?m)^#+ (.*)$").FindAllStringSubmatch(page, -1) {
		text := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(text, " ", "-"))
	}
	return all
}

// TestReadmeIsRead in ten minutes: what it says beside its tables of results.
func TestReadmeIsRead(t *testing.T) {
	t.Parallel()
	text := regexp.MustCompile("(?s)<!-- (once|explain|bench).*?<!-- /").ReplaceAllString(readFile(t, "README.md"), "")
	if n := len(strings.Fields(text)); n > 2800 {
		t.Errorf("README.md has %d words, want 2800 at most: a page beside the room that it belongs to can say more", n)
	}
}

var readmeTable = regexp.MustCompile("(?s)(<!-- once: .*?-->\n```text\n)(.*?)(```\n<!-- /once -->)")

// TestReadmeTable holds that README shows the table of demo --once as it is printed: the words, in their
// order; durations, ports and where lines break differ from run to run. It is printed in a bubble, for what a
// machine is too busy for says nothing of README. SONDE_UPDATE renews it, by a run in real time.
func TestReadmeTable(t *testing.T) {
	t.Parallel()
	readme := readFile(t, "README.md")
	parts := readmeTable.FindStringSubmatch(readme)
	if parts == nil {
		t.Fatal("README.md has no table between the marks of once")
	}
	if os.Getenv("SONDE_UPDATE") != "" {
		renewed := strings.Replace(readme, parts[0], parts[1]+demoTable(t)+parts[3], 1)
		if err := os.WriteFile(filepath.Join(root, "README.md"), []byte(renewed), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	var stdout, stderr bytes.Buffer
	inBubble(t, conn.Options{}, func(t *testing.T, d *demo, network *conn.Network) {
		c := demoCommand{daemonFlags: daemonFlags{probeFlags: probeFlags{Concurrency: 100}, Log: logFlags{"error", "logfmt"}}}
		term := newTerminal(&stdout, &stderr)
		term.detach(t.Context())
		err := c.show(t.Context(), term, d, network)
		if term.close(); err != nil || stderr.Len() > 0 {
			t.Fatalf("demo --once ends with %v, want no error: what is down in it is meant to be\n%s", err, &stderr)
		}
	})
	if diff := cmp.Diff(steady(parts[2]), steady(stdout.String())); diff != "" {
		t.Errorf("README.md's table is stale; `SONDE_UPDATE=1 go test -run TestReadmeTable ./cmd/sonde` renews it (-README +now):\n%s", diff)
	}
}

// demoTable is what demo --once prints, in real time.
func demoTable(t *testing.T) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := dispatch(t.Context(), []string{"demo", "--once"}, &stdout, &stderr); code != statusOK || stderr.Len() > 0 {
		t.Fatalf("demo --once exits %d, want %d: what is down in it is meant to be\n%s", code, statusOK, &stderr)
	}
	return stdout.String()
}

// steady is the words of a table without what differs from run to run.
func steady(table string) []string {
	table = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(table, "ADDRESS")
	table = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:]+Z`).ReplaceAllString(table, "DATE")
	table = regexp.MustCompile(`\b\d+(\.\d+)?(ms|s)\b`).ReplaceAllString(table, "TIME")
	return strings.Fields(table)
}
