package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var aTable = &table{
	title: "5 endpoints", head: []string{"measured", "bare loop", "a|b"},
	rows:  [][]string{{"CPU a probe, µs", "187 (180..190)", ""}, {"gap"}},
	notes: []string{"a|b: not installed", "more"},
}

func TestTablePlain(t *testing.T) {
	t.Parallel()
	const want = `
5 endpoints

measured              bare loop  a|b
CPU a probe, µs  187 (180..190)    –
gap                           –    –
* a|b: not installed
* more
`
	var got strings.Builder
	aTable.plain(&got)
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("want - got +:\n%s", diff)
	}
}

func TestTableMarkdown(t *testing.T) {
	t.Parallel()
	const want = `
### 5 endpoints

| measured        |      bare loop | a\|b |
| --------------- | -------------: | ---: |
| CPU a probe, µs | 187 (180..190) |    – |
| gap             |              – |    – |

- a|b: not installed
- more
`
	var got strings.Builder
	aTable.markdown(&got)
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("want - got +:\n%s", diff)
	}
}

// threeRounds are results in which the bare loop's second round failed.
func threeRounds() *results {
	of := func(cpu ...number) []*sample {
		var all []*sample
		for _, c := range cpu {
			s := newSample()
			s.done, s.scheduled = 1, 1
			if s.cpu = c; !c.there() {
				s = nil
			}
			all = append(all, s)
		}
		return all
	}
	return &results{
		names:   []string{"bare loop", "sonde"},
		samples: map[string][]*sample{"bare loop": of(100e-6, nothing, 200e-6), "sonde": of(50e-6, 75e-6, 150e-6)},
		errors:  map[string]error{"bare loop": errors.New("broke")},
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	r := threeRounds()
	got := append(r.rowsOf(punctualRows, costRows), r.ratioRow("bare loop"))
	want := [][]string{
		{"CPU a probe, µs", "150 (100..200)", "75 (50..150)"},
		{"CPU, ratio to the bare loop", "", "0.62 (0.50..0.75)"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want - got +:\n%s", diff)
	}
	notes := []string{"bare loop: broke", "blackbox_exporter: not installed"}
	if diff := cmp.Diff(notes, r.notes([]string{"blackbox_exporter"})); diff != "" {
		t.Errorf("notes, want - got +:\n%s", diff)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	var s summary
	r := threeRounds()
	r.samples["sonde"][0].scrapeBytes, r.samples["sonde"][0].scrapeTime, r.samples["sonde"][0].scrapeCPU = mega, .002, .001
	s.add(r, load{5000, 1e9}, fresh)
	want := [][]string{
		{"5000@1s", "fresh", "bare loop", "1 / 1", "150 (100..200)", "", "", "", "", "", "", ""},
		{"5000@1s", "fresh", "sonde", "1 / 1", "75 (50..150)", "0.62 (0.50..0.75)", "", "", "", "", "", "1.0 / 2 / 1"},
	}
	if diff := cmp.Diff(want, s.table().rows); diff != "" {
		t.Errorf("want - got +:\n%s", diff)
	}
	if len(summaryHead) != len(want[0]) {
		t.Errorf("the head has %d columns, the rows have %d", len(summaryHead), len(want[0]))
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	figures := steadyFigures(threeRounds(), load{1000, 1e9}, reused)
	got := figuresTable(figures).rows
	want := [][]string{
		{"1000@1s reused: CPU, ratio to the bare loop", "0.85", "0.62 (0.50..0.75)", "holds"},
		{"1000@1s reused: scrape, CPU ms", "15", "", "not measured"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want - got +:\n%s", diff)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	ratio := func(got number) []figure { return []figure{{got: got, most: .75, ratio: true}, {got: 9, most: 1}} }
	for _, tt := range []struct {
		name    string
		figures []figure
		short   bool
		worse   bool
		fails   bool
	}{
		{"within", ratio(1.09), true, false, false},
		{"above", ratio(1.11), true, true, true},
		{"above, but nobody asked", ratio(1.51), false, false, false},
		{"not measured", ratio(nothing), true, false, true},
	} {
		b := &bench{options: &options{short: tt.short}, figures: tt.figures}
		if err := b.judge(); (err != nil) != tt.fails || errors.Is(err, errWorse) != tt.worse {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
