package main

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"sonde/probe/kinds"
	"sonde/schema"
)

// compared compares two texts, each as the file probes.yaml.
func compared(t *testing.T, old, new string) *comparison {
	t.Helper()
	parse := func(text string) *schema.Set {
		set, err := schema.Parse("probes.yaml", []byte(text), kinds.All(nil, "test"))
		if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		return set
	}
	return compare(parse(old), parse(new))
}

// outputs are the forms in which a comparison is printed.
var outputs = map[string]func(io.Writer, *comparison) error{
	"text":     func(w io.Writer, c *comparison) error { return writeDiff(w, c, 80) },
	"markdown": writeMarkdown,
	"json":     func(w io.Writer, c *comparison) error { return encodeJSON(w, diffToJSON(c)) },
}

func outputOf(t *testing.T, form string, c *comparison) string {
	t.Helper()
	var b bytes.Buffer
	if err := outputs[form](&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDiffTellsRenamedProbes: what is the same but for its name was renamed, each once and in order.
func TestDiffTellsRenamedProbes(t *testing.T) {
	t.Parallel()
	line := func(name, rest string) string { return fmt.Sprintf("  - {name: %s, tcp: {address: %s}}\n", name, rest) }
	c := compared(t,
		"probes:\n"+line("a", `"x:1"`)+line("b", `"x:1"`)+line("c", `"y:1"`)+line("d", `"z:1"`)+line("stays", `"x:1"`),
		"probes:\n"+line("n", `"x:1"`)+line("stays", `"x:1"`)+line("m", `"y:1"`)+line("d2", `"z:2"`))
	var told []string
	for _, p := range c.renamed {
		told = append(told, p.old.Name+" > "+p.new.Name)
	}
	for _, s := range c.added {
		told = append(told, "+ "+s.Name)
	}
	for _, s := range c.removed {
		told = append(told, "- "+s.Name)
	}
	want := []string{"a > n", "c > m", "+ d2", "- b", "- d"}
	if diff := cmp.Diff(want, told); diff != "" || c.unchanged != 1 {
		t.Errorf("%d unchanged, want 1; want - got +:\n%s", c.unchanged, diff)
	}
}

// TestDiffSaysEachSecretThatChanged, and none of them, wherever it stands.
func TestDiffSaysEachSecretThatChanged(t *testing.T) {
	t.Parallel()
	file := func(n int) string {
		return fmt.Sprintf(`probes:
  - name: a
    http:
      url: "https://127.0.0.1:1/?api_key=hush%[1]d&a=b"
      method: POST
      headers: {Authorization: "Bearer hush%[1]d", X-Same: same}
      form: {password: [hush%[1]d, hush], user: me}
`, n)
	}
	c := compared(t, file(1), file(2))
	var paths []string
	for _, v := range c.changed[0].values {
		if !v.secret() {
			t.Errorf("%s went from %v to %v, which is no secret", v.path, v.old, v.new)
		}
		paths = append(paths, v.path)
	}
	want := []string{"http.url", "http.headers.Authorization", "http.form.password"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("values, want - got +:\n%s", diff)
	}
	for form := range outputs {
		if text := outputOf(t, form, c); strings.Contains(text, "hush") || !strings.Contains(text, "http") {
			t.Errorf("%s says a secret:\n%s", form, text)
		}
	}
	if c := compared(t, file(1), file(1)); !c.same() {
		t.Errorf("the same secrets differ: %+v", c.changed)
	}
}

const hostile = "\"\\u202e\\x1b[2J @team #1 <img src=x> |a|\\\\| `code` *b* [l](http://x) https://www.example.com/ &amp; $x$ \\n| --- |\""

// TestMarkdownHoldsWhatIsHostile: a value ends no cell, is no HTML, no link, no mention, no line.
func TestMarkdownHoldsWhatIsHostile(t *testing.T) {
	t.Parallel()
	c := compared(t, "probes: [{name: a, tcp: {address: \"x:1\"}}]", "probes: [{name: a, description: "+hostile+", tcp: {address: \"x:1\"}}]")
	text := outputOf(t, "markdown", c)
	tags := regexp.MustCompile(`</?code>`)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.IndexFunc(line, unicode.IsControl) >= 0 {
			t.Errorf("a control character in %q", line)
		}
		if !strings.Contains(line, "description") {
			continue
		}
		if n := strings.Count(line, "|"); n != 5 {
			t.Errorf("%d bars in a row of four cells: %s", n, line)
		}
		_, cells, _ := strings.Cut(line, "*not set*")
		bare := regexp.MustCompile(`&#\d+;`).ReplaceAllString(tags.ReplaceAllString(cells, ""), "")
		if strings.ContainsAny(strings.Trim(bare, " |"), "<>@#`*~$|\\&") || regexp.MustCompile(`\w://|www\.|\]\(`).MatchString(bare) {
			t.Errorf("Markdown may take some of this for its own: %q", bare)
		}
	}
	for form := range outputs {
		if strings.ContainsAny(outputOf(t, form, c), "\x1b\u202e") {
			t.Errorf("%s prints what a terminal obeys", form)
		}
	}
}

// TestMarkdownIsReadable also for who sees the text itself, as in a log or a mail.
func TestMarkdownIsReadable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"tcp 127.0.0.1:5432":               "tcp 127.0.0.1:5432",
		"http.retryable_status":            "http.retryable_status",
		`[429, 503] "a" 'b' (c) #!`:        `[429, 503] "a" 'b' (c) &#35;!`,
		"https://www.example.com/?a=b_c":   "https&#58;//www&#46;example.com/?a=b_c",
		"WWW.example.com awww.x ww.":       "WWW&#46;example.com awww&#46;x ww.",
		"_a_ b_c __ _":                     "&#95;a&#95; b_c &#95;&#95; &#95;",
		"[l](http://x) [l] (x)":            "[l]&#40;http&#58;//x) [l] (x)",
		`a\.b|c ~d~ $x$ @e <secret> &amp;`: "a&#92;.b&#124;c &#126;d&#126; &#36;x&#36; &#64;e &#60;secret&#62; &#38;amp;",
	} {
		if got := code(text); got != "<code>"+want+"</code>" {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
	}
}

// TestMarkdownFitsGitHub: a comment may have 65,536 characters; what is left out is counted.
func TestMarkdownFitsGitHub(t *testing.T) {
	t.Parallel()
	var old, new strings.Builder
	old.WriteString("probes:\n")
	new.WriteString("probes:\n")
	for i := range 1500 {
		fmt.Fprintf(&old, "  - {name: p%d, description: %s, tcp: {address: \"h%d:1\"}}\n", i, hostile, i)
		fmt.Fprintf(&new, "  - {name: p%d, tcp: {address: \"h%d:2\"}}\n", i, i)
	}
	text := outputOf(t, "markdown", compared(t, old.String(), new.String()))
	if len(text) > 65_536 || len(text) < 50_000 {
		t.Errorf("%d bytes, want most of what GitHub takes", len(text))
	}
	m := regexp.MustCompile(`\n(\d+) rows left out`).FindStringSubmatch(text)
	if m == nil || m[1] == "0" {
		t.Errorf("it does not say how many rows are left out: …%s", text[len(text)-200:])
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") && !strings.HasSuffix(line, "|\n") {
			t.Errorf("a row is cut: %s", line)
		}
	}
}

// TestLongValuesAreCut in what people read, and whole in JSON.
func TestLongValuesAreCut(t *testing.T) {
	t.Parallel()
	file := func(end string) string {
		return "probes: [{name: a, description: " + strings.Repeat("x", 900) + end + ", tcp: {address: \"x:1\"}}]"
	}
	c := compared(t, file("1"), file("2"))
	if text := outputOf(t, "text", c); len(text) > 1200 || !strings.Contains(text, "(they differ further on)") {
		t.Errorf("it does not say that what is cut differs:\n%s", text)
	}
	if text := outputOf(t, "json", c); !strings.Contains(text, strings.Repeat("x", 900)+"2") {
		t.Errorf("JSON does not have the value whole:\n%s", text)
	}
}
