package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tables are those of a Markdown text, each as its rows of cells, the head first.
func tables(text string) (all [][][]string) {
	within := false
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), `\|`, "\x00"), "|")
		if len(cells) < 3 {
			within = false
			continue
		}
		if cells = cells[1 : len(cells)-1]; strings.Trim(strings.Join(cells, ""), "-: ") == "" {
			continue // the rule under the head
		}
		for i := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "\x00", "|")
		}
		if !within {
			all, within = append(all, nil), true
		}
		all[len(all)-1] = append(all[len(all)-1], cells)
	}
	return all
}

// TestPagesHaveTheTables: the tables of README and of BENCHMARK.md have the shape of what the tool would
// write there now, and come of one run.
func TestPagesHaveTheTables(t *testing.T) {
	t.Parallel()
	all, stated := tablesOf(t, "../../README.md", "all"), tablesOf(t, "BENCHMARK.md", "stated")
	if len(all) != 2 || len(stated) != 1 {
		t.Fatalf("README.md has %d tables and BENCHMARK.md %d, want 2 and 1", len(all), len(stated))
	}
	if diff := cmp.Diff(all[1], stated[0]); diff != "" {
		t.Errorf("what is stated, -README.md +BENCHMARK.md:\n%s", diff)
	}
	for i, want := range [][]string{summaryHead, figuresTable(nil).head} {
		if diff := cmp.Diff(want, all[i][0]); diff != "" {
			t.Errorf("head of table %d, -want +got:\n%s", i+1, diff)
		}
		for _, row := range all[i][1:] {
			if len(row) != len(want) {
				t.Errorf("table %d has a row of %d cells, want %d: %v", i+1, len(row), len(want), row)
			}
		}
	}
	for _, row := range all[0][1:] {
		if l, err := parseLoad(row[0]); err != nil || l.String() != row[0] || row[1] != string(fresh) && row[1] != string(reused) {
			t.Errorf("row %v begins with no load and pattern: %v", row, err)
		}
	}
	verdicts := []string{"holds", "does not hold", "not measured"}
	for _, row := range all[1][1:] {
		if verdict := row[len(row)-1]; !slices.Contains(verdicts, verdict) {
			t.Errorf("%s: %q, want one of %v", row[0], verdict, verdicts)
		}
	}
}

// tablesOf are the tables that a page has in its place for them.
func tablesOf(t *testing.T, page, which string) [][][]string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	m := marked.FindAllStringSubmatch(string(text), -1)
	if len(m) != 1 || m[0][2] != which {
		t.Fatalf("%s has %d places for tables of the benchmark, want one, for %s", page, len(m), which)
	}
	if !regexp.MustCompile(`^\d+ cores, \w+/\w+, go1\.`).MatchString(m[0][3]) {
		t.Errorf("%s: want the machine by cores and kind before the tables, got %.60q", page, m[0][3])
	}
	return tables(m[0][3])
}

// TestPagesShowCommandsOfTheTool: every command of the benchmark in the two pages and in the help is one, and the
// marks name those that renew them.
func TestPagesShowCommandsOfTheTool(t *testing.T) {
	t.Parallel()
	shown := map[string]string{"help": usage}
	for _, page := range []string{"BENCHMARK.md", "../../README.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		shown[page] = string(text)
	}
	for where, text := range shown {
		commands := regexp.MustCompile("(?m)go run ./cmd/bench((?: --[a-z]+(?: [^ `#\n-][^ `\n]*)?)*)").FindAllStringSubmatch(text, -1)
		if len(commands) < 2 {
			t.Errorf("%s shows %d commands of the benchmark, want 2 or more", where, len(commands))
		}
		renews := false
		for _, m := range commands {
			o, err := parseFlags(strings.Fields(m[1]))
			if err != nil {
				t.Errorf("%s shows %q: %v", where, m[0], err)
				continue
			}
			renews = renews || slices.Equal(o.pages, []string{"README.md", "cmd/bench/BENCHMARK.md"})
		}
		if !renews {
			t.Errorf("%s does not show what renews both pages", where)
		}
	}
}

func TestRenew(t *testing.T) {
	t.Parallel()
	b := &bench{options: &options{}, machine: "2 cores, linux/amd64, go1.26, load 0.1 before the start."}
	b.summary.add(threeRounds(), load{5000, 1e9}, fresh)
	b.figures = steadyFigures(threeRounds(), load{1000, 1e9}, reused)
	for which, want := range map[string]int{"all": 2, "stated": 1} {
		begin, end := "<!-- bench "+which+": `go run ./cmd/bench` renews this -->\n", "<!-- /bench -->"
		got, err := b.renew("before\n" + begin + "former\n" + end + "\nafter\n")
		if err != nil {
			t.Fatal(err)
		}
		if again, err := b.renew(got); err != nil || again != got {
			t.Errorf("renewed again it is another: %v\n%s", err, cmp.Diff(got, again))
		}
		if !strings.HasPrefix(got, "before\n"+begin+b.machine) || !strings.HasSuffix(got, end+"\nafter\n") || strings.Contains(got, "former") {
			t.Errorf("got %s", got)
		}
		if found := tables(got); len(found) != want || len(found[want-1]) != 3 {
			t.Errorf("%s: got the tables %v", which, found)
		}
	}
	for _, text := range []string{"no marks", "<!-- bench all: x -->\nno end", "<!-- bench other: x -->\n<!-- /bench -->"} {
		if _, err := b.renew(text); err == nil {
			t.Errorf("renewed %q", text)
		}
	}
}

// TestTellWritesAllPagesOrNone.
func TestTellWritesAllPagesOrNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.md"), filepath.Join(dir, "bad.md")
	const place = "<!-- bench stated: x -->\nformer\n<!-- /bench -->\n"
	for name, text := range map[string]string{good: place, bad: "no marks\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := &bench{options: &options{pages: []string{good, bad}}, machine: "2 cores"}
	if err := b.tell(); err == nil || !strings.HasPrefix(err.Error(), bad+": has no place") {
		t.Errorf("got %v, want that bad.md has no place", err)
	}
	if text, _ := os.ReadFile(good); string(text) != place {
		t.Errorf("good.md was written, though bad.md could not be:\n%s", text)
	}
	b.pages = b.pages[:1]
	if err := b.tell(); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(good); !strings.Contains(string(text), "2 cores") || strings.Contains(string(text), "former") {
		t.Errorf("good.md was not renewed:\n%s", text)
	}
}
