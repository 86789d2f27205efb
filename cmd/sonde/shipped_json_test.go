package main

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sonde/probe"
	"sonde/probe/retry"
)

// rowWords are the words in code at the beginning of each row of the table that follows a line of a page.
func rowWords(t *testing.T, page, line string) (words []string) {
	t.Helper()
	_, table, found := strings.Cut(page, "\n"+line)
	if !found {
		t.Fatalf("the page has no line that begins %q", line)
	}
	_, table, _ = strings.Cut(table, "| --- | --- |\n")
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		if len(cells) < 3 {
			break
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			words = append(words, m[1])
		}
	}
	return words
}

// jsonNames are the names that encoding/json gives to a struct's fields.
func jsonNames(t reflect.Type) (names []string) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func textsOf[T ~string](list ...T) (texts []string) {
	for _, v := range list {
		texts = append(texts, string(v))
	}
	return texts
}

// TestJSONIsDocumented holds cmd/sonde/JSON.md to the code, both ways: it explains each field and each
// word of a closed set, and none that there is not.
func TestJSONIsDocumented(t *testing.T) {
	t.Parallel()
	page := readFile(t, "cmd/sonde/JSON.md")
	var phases []string
	for p := range probe.NumPhases {
		phases = append(phases, p.String())
	}
	for line, want := range map[string][]string{
		"## results[]":   jsonNames(reflect.TypeFor[resultJSON]()),
		"## attempts[]":  jsonNames(reflect.TypeFor[attemptJSON]()),
		"## addresses[]": jsonNames(reflect.TypeFor[addressJSON]()),
		"## http":        jsonNames(reflect.TypeFor[httpJSON]()),
		"## hops[]":      jsonNames(reflect.TypeFor[hopJSON]()),
		"| verdict |":    textsOf(probe.Verdicts()...),
		"| evidence |":   textsOf(retry.NeverSent, retry.Refused, retry.Unanswered, retry.Answered),
		"| stop |":       textsOf(retry.Stops()...),
		"| phase |":      phases,
	} {
		sorted := cmpopts.SortSlices(func(a, b string) bool { return a < b })
		if diff := cmp.Diff(want, rowWords(t, page, line), sorted); diff != "" {
			t.Errorf("JSON.md, %s (-code +page):\n%s", line, diff)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^sonde (once [^|]*)").FindAllStringSubmatch(page, -1) {
		understood(t, "JSON.md", strings.Fields(m[1]))
	}
}
