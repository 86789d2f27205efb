package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fences are README's code blocks of a language.
func fences(t *testing.T, language string) []string {
	t.Helper()
	var blocks []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(readFile(t, "README.md"), -1) {
		blocks = append(blocks, m[1])
	}
	if len(blocks) == 0 {
		t.Fatalf("README.md has no block of %s", language)
	}
	return blocks
}

func TestReadmeYAMLLoads(t *testing.T) {
	t.Parallel()
	for _, block := range fences(t, "yaml") {
		if !strings.Contains(block, "\ntests:") {
			loadText(t, block)
		}
	}
}

// TestReadmeTestsPass runs the tests that README shows, on the probes that it shows.
func TestReadmeTestsPass(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, marker := range map[string]string{"probes.yaml": "defaults:", "tests.yaml": "\ntests:"} {
		for _, block := range fences(t, "yaml") {
			if strings.Contains(block, marker) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(block), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	passes(t, filepath.Join(dir, "tests.yaml"))
}

// TestReadmeCommands holds that sonde understands each command line that README shows, and that CI runs
// the tests in the same words.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	sonde := regexp.MustCompile(`^(?:go run ./cmd/sonde|sonde) (.*)$`)
	tests := 0
	for _, block := range fences(t, "sh") {
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(line, " #")
			line = strings.TrimSpace(line)
			if m := sonde.FindStringSubmatch(line); m != nil {
				understood(t, "README.md", strings.Fields(m[1]))
			}
			if strings.HasPrefix(line, "go test") {
				tests++
				if !strings.Contains(readFile(t, ".ci/run"), "\n"+line+"\n") {
					t.Errorf(".ci/run does not run README's %q", line)
				}
			}
		}
	}
	if tests != 1 {
		t.Errorf("README.md has %d commands for the tests, want one", tests)
	}
}

func TestReadmeKnowsTheMetrics(t *testing.T) {
	t.Parallel()
	text := regexp.MustCompile("`probe_\\*`|probe_gauges:").ReplaceAllString(readFile(t, "README.md"), "")
	knownMetrics(t, "README.md", text)
}

func TestReadmeLinksLead(t *testing.T) {
	t.Parallel()
	for _, m := range regexp.MustCompile(`\]\(([^)#]+)\)`).FindAllStringSubmatch(readFile(t, "README.md"), -1) {
		if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
			t.Errorf("README.md links to what is not there: %v", err)
		}
	}
}

var readmeTable = regexp.MustCompile("(?s)(<!-- once: .*?-->\n```text\n)(.*?)(```\n<!-- /once -->)")

// TestReadmeTable holds that README shows the table of demo --once as it is printed: the words, in their
// order; durations, ports and where lines break differ from run to run. SONDE_UPDATE renews it.
func TestReadmeTable(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	if code := dispatch(t.Context(), []string{"demo", "--once"}, &stdout, &stderr); code != statusOK || stderr.Len() > 0 {
		t.Fatalf("demo --once exits %d, want %d: what is down in it is meant to be\n%s", code, statusOK, &stderr)
	}
	readme := readFile(t, "README.md")
	parts := readmeTable.FindStringSubmatch(readme)
	if parts == nil {
		t.Fatal("README.md has no table between the marks of once")
	}
	if os.Getenv("SONDE_UPDATE") != "" {
		renewed := strings.Replace(readme, parts[0], parts[1]+stdout.String()+parts[3], 1)
		if err := os.WriteFile(filepath.Join(root, "README.md"), []byte(renewed), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(steady(parts[2]), steady(stdout.String())); diff != "" {
		t.Errorf("README.md's table is stale; `SONDE_UPDATE=1 go test -run TestReadmeTable ./cmd/sonde` renews it (-README +now):\n%s", diff)
	}
}

// steady is the words of a table without what differs from run to run.
func steady(table string) []string {
	table = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(table, "ADDRESS")
	table = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:]+Z`).ReplaceAllString(table, "DATE")
	table = regexp.MustCompile(`\b\d+(\.\d+)?(ms|s)\b`).ReplaceAllString(table, "TIME")
	return strings.Fields(table)
}
