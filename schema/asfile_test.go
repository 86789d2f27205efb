package schema

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestWhatTheCorpusPrintsLoadsAgain holds that the effective file of everything in the corpus that loads
// makes the same probes, and is then its own effective file.
func TestWhatTheCorpusPrintsLoadsAgain(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, archive := range corpus(t) {
		a, err := txtar.ParseFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range cases(a) {
			set, err := parseIn("probes.yaml", data, filesOf(a, name))
			if err != nil || len(set.Effective()) == 0 {
				continue
			}
			tried++
			t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar")+"/"+name, func(t *testing.T) {
				printsItself(t, set, filesOf(a, name))
			})
		}
	}
	if tried < 30 {
		t.Errorf("%d files of the corpus load, want more to try", tried)
	}
}

func printsItself(t *testing.T, set *Set, files map[string]string) {
	t.Helper()
	text := printOf(t, set)
	again, err := parseIn("probes.yaml", []byte(text), files)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	before, after := set.Effective(), again.Effective()
	if len(before) != len(after) {
		t.Fatalf("%d probes became %d", len(before), len(after))
	}
	for i, e := range before {
		if e.Sum != after[i].Sum && !slices.ContainsFunc(e.Values, hides) {
			t.Errorf("%s is not the same again:\n%s", e.Name, text)
		}
	}
	if diff := cmp.Diff(text, printOf(t, again)); diff != "" {
		t.Errorf("printed again it differs (-first +again):\n%s", diff)
	}
}

func printOf(t *testing.T, set *Set) string {
	t.Helper()
	var b strings.Builder
	if err := WriteYAML(&b, set.Effective(), false); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// hides is true of a value that is not shown whole, or holds such a one.
func hides(v Value) bool { return v.Mark != 0 || slices.ContainsFunc(v.Values, hides) }

func TestAsFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, written, want string }{
		{"A", "${SECRET}", "${SECRET}"},
		{"A", "$$${SECRET}$$", "$$${SECRET}$"},
		{"A", "a $$$$${SECRET} {${NUMBER}} $$${NUMBER}", "a $$$$${SECRET} {${NUMBER}} $$${NUMBER}"},
		{"A", "${NONE:-fallback}", "${NONE:-fallback}"},
		{"A", "${file:/run/secrets/token}", "${file:/run/secrets/token}"},
		{"A", "${file:key}", "${file:key}"},
		{"Authorization", "Bearer ${cred:token}", "Bearer ${cred:token}"},
		{"Authorization", "Bearer ${NONE:-abc}", "Bearer ${NONE:-<secret>}"},
		{"Authorization", "Basic ${NUMBER}:abc", "<secret>"},
		{"Authorization", "Bearer abc", "<secret>"},
		{"A", "https://me:${SECRET}@a/?x=1", "https://me:${SECRET}@a/?x=1"},
		{"A", "https://${NUMBER}:${SECRET}@a/", "https://${NUMBER}:${SECRET}@a/"},
		{"A", "https://${NUMBER}:abc@a/", "https://<secret>@a/"},
		{"A", "https://me:${NONE:-abc}@a/", "https://me:${NONE:-<secret>}@a/"},
		{"A", "see //me@a", "see //<secret>@a"},
		{"A", "https://a/?token=${SECRET}&q=${NUMBER}", "https://a/?token=${SECRET}&q=${NUMBER}"},
		{"A", "https://a/?token=abc${NUMBER}", "https://a/?token=<secret>"},
		{"A", `{"password": "abc", "q": ["${NUMBER}"]}`, `{"password": "<secret>", "q": ["${NUMBER}"]}`},
		{"A", `{"password": "${SECRET}", "token": "x${NUMBER}"}`, `{"password": "${SECRET}", "token": "<secret>"}`},
		{"A", "\U000F0000${NUMBER}", "\U000F0000<secret>"},
	} {
		text := fmt.Sprintf("probes:\n- {name: a, fake: {address: 'a:1', headers: {%s: %q}}}\n", c.header, c.written)
		set, err := parseIn("probes.yaml", []byte(text), map[string]string{"key": "12345678"})
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if got := printOf(t, set); !strings.Contains(got, "        "+c.header+": "+inYAML(c.want)+"\n") {
			t.Errorf("%s is printed as\n%s\nwant %s", c.written, got, inYAML(c.want))
		}
		printsItself(t, set, map[string]string{"key": "12345678"})
	}
}

// TestAsFileOfAnotherFolder holds that references lead from the folder of the first file.
func TestAsFileOfAnotherFolder(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"inc/more.yaml": "profiles: {p: {fake: {headers: {A: '${file:key}'}}}}\nprobes:\n- {name: b, fake: {address: 'a:1', headers: {A: '${file:key}'}}}\n",
		"inc/key":       "12345678",
	}
	set, err := parseIn("probes.yaml", []byte("include: inc/more.yaml\nprobes:\n- {name: a, use: p, fake: {address: 'a:1'}}\n"), files)
	if err != nil {
		t.Fatal(err)
	}
	if text := printOf(t, set); strings.Count(text, `A: "${file:inc/key}"`) != 2 {
		t.Errorf("want the path of the key from the folder of probes.yaml, twice, in\n%s", text)
	}
	printsItself(t, set, files)
}

// TestPlainForEveryReader: what some reader takes for another thing than the text has quotes.
func TestPlainForEveryReader(t *testing.T) {
	t.Parallel()
	for text, plain := range map[string]bool{
		"a": true, "12h": true, "http://a.example:1/": true, "1.2.3": true, "2xx": true, "yesterday": true, "a:1": true,
		"yes": false, "No": false, "ON": false, "off": false, "y": false, "true": false, "null": false, "~": false, "": false,
		"1:30": false, "-12:30:45.5": false, "0777": false, "1_000": false, "1e3": false, "2024-01-01": false, "- a": false, "a: b": false, "a #b": false, "a, b": false,
	} {
		want := text
		if !plain {
			want = strconv.Quote(text)
		}
		if got := inYAML(text); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
}
