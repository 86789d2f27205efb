package main

import (
	"os"
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

// TestReadmeHasTheTables: README's tables have the shape of what the tool would write there now.
func TestReadmeHasTheTables(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, begins := strings.Cut(string(text), readmeBegin)
	measured, _, ends := strings.Cut(rest, readmeEnd)
	if !begins || !ends {
		t.Fatal("README.md has no place for the tables of the benchmark")
	}
	if !regexp.MustCompile(`^\d+ cores, \w+/\w+, go1\.`).MatchString(measured) {
		t.Errorf("want the machine by cores and kind before the tables, got %.60q", measured)
	}
	got := tables(measured)
	if len(got) != 2 {
		t.Fatalf("README.md has %d tables of the benchmark, want 2", len(got))
	}
	for i, want := range [][]string{summaryHead, figuresTable(nil).head} {
		if diff := cmp.Diff(want, got[i][0]); diff != "" {
			t.Errorf("head of table %d, -want +got:\n%s", i+1, diff)
		}
		for _, row := range got[i][1:] {
			if len(row) != len(want) {
				t.Errorf("table %d has a row of %d cells, want %d: %v", i+1, len(row), len(want), row)
			}
		}
	}
	for _, row := range got[0][1:] {
		if l, err := parseLoad(row[0]); err != nil || l.String() != row[0] || row[1] != string(fresh) && row[1] != string(reused) {
			t.Errorf("row %v begins with no load and pattern: %v", row, err)
		}
	}
	verdicts := []string{"holds", "does not hold", "not measured"}
	for _, row := range got[1][1:] {
		if verdict := row[len(row)-1]; !slices.Contains(verdicts, verdict) {
			t.Errorf("%s: %q, want one of %v", row[0], verdict, verdicts)
		}
	}
}

func TestRenew(t *testing.T) {
	t.Parallel()
	b := &bench{options: &options{}, machine: "2 cores, linux/amd64, go1.26, load 0.1 before the start."}
	b.summary.add(threeRounds(), load{5000, 1e9}, fresh)
	b.figures = steadyFigures(threeRounds(), load{1000, 1e9}, reused)
	got, err := b.renew("before\n" + readmeBegin + "former\n" + readmeEnd + "\nafter\n")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.renew(got); err != nil || again != got {
		t.Errorf("renewed again it is another: %v\n%s", err, cmp.Diff(got, again))
	}
	if !strings.HasPrefix(got, "before\n"+readmeBegin+b.machine) || !strings.HasSuffix(got, readmeEnd+"\nafter\n") || strings.Contains(got, "former") {
		t.Errorf("got %s", got)
	}
	if found := tables(got); len(found) != 2 || len(found[0]) != 3 || len(found[1]) != 3 {
		t.Errorf("got the tables %v", found)
	}
	if _, err := b.renew("no marks"); err == nil {
		t.Error("renewed what has no marks")
	}
}
