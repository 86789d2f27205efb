package schema

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mistakes are lines that stand in place of the second line of a probe, and make the text no YAML.
var mistakes = map[string]string{
	"keys that do not fit":   "   interval: 3s",
	"one key too far out":    " interval: 3s",
	"dash too far in":        "   - name: x",
	"dash too far out":       " - name: x",
	"key in column 1":        "interval: 3s\n    retry: {attempts: 1}",
	"double quote":           "    description: \"abc",
	"double quote, no other": "    description: \"abc # 'x'",
	"single quote":           "    description: 'abc",
	"missing colon":          "    interval 3s",
	"missing colon, further": "    labels:\n      a: b\n      c\n      d: e",
	"open bracket":           "    labels: [a, b",
	"open brace":             "    labels: {a: b",
	"tab":                    "\tinterval: 3s",
	"a second document":      "    plain: {address: a}\n---\nx: y\nprobes:\n  - a: b\n   c: d",
	"two colons":             "    description: a: b",
	"a forbidden beginning":  "    description: @x",
	"undeclared anchor":      "    # *L\n    description: \"*L\" # *L\n    labels: {a: *L0, \"*L\": *L} # *L",
}

// mistaken is a text with a mistake in the middle of so many probes, and the line it stands on. So much of
// comments follows.
func mistaken(many, comments int, mistake, address, end string) (text string, line int) {
	var b strings.Builder
	b.WriteString("x-labels: &L0 a\nprobes:\n")
	line = 2
	for i := range many {
		fmt.Fprintf(&b, "  - name: p%d\n", i)
		if i == many/2 {
			b.WriteString(mistake + "\n")
			line = 4 + 3*i
		} else {
			b.WriteString("    retry: {attempts: 1}\n")
		}
		fmt.Fprintf(&b, "    plain: {address: %s}\n", fmt.Sprintf(address, i))
	}
	b.WriteString(strings.Repeat("# a comment of forty bytes, and no quote\n", comments/40))
	return strings.ReplaceAll(b.String(), "\n", end), line
}

// lineNumber is a place in what is said.
var lineNumber = regexp.MustCompile(`\b(\d+):(\d+)\b`)

// relative is what is said of a text first, with lines counted from one of them; those that the
// head of the text holds stay.
func relative(text string, from int) string {
	return lineNumber.ReplaceAllStringFunc(firstSays([]byte(text)), func(at string) string {
		line, column, _ := strings.Cut(at, ":")
		n, _ := strconv.Atoi(line)
		if n <= 2 {
			return at
		}
		return fmt.Sprintf("%+d:%s", n-from, column)
	})
}

// TestMistakesInGreatFiles: a mistake is said in the same words and at the same place in a file of any size.
func TestMistakesInGreatFiles(t *testing.T) {
	t.Parallel()
	for name, mistake := range mistakes {
		for end, ending := range map[string]string{"LF": "\n", "CRLF": "\r\n"} {
			t.Run(name+" "+end, func(t *testing.T) {
				t.Parallel()
				address := `"127.0.0.1:1/ok?%d"`
				if strings.Contains(name, "no other") || strings.Contains(name, "single") {
					address = "a%d"
				}
				text, line := mistaken(6, 0, mistake, address, ending)
				want := relative(text, line)
				text, line = mistaken(2000, 1<<20, mistake, address, ending)
				if got := relative(text, line); got != want {
					t.Errorf("of a great file it says\n%s\nwant what it says of a small one\n%s", got, want)
				}
				if !strings.HasSuffix(want, "[syntax]") {
					t.Errorf("it says %s, want a mistake of syntax", want)
				}
			})
		}
	}
}

// TestUndeclaredAnchor: the alias is placed, and not what looks like it.
func TestUndeclaredAnchor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"probes:\n  - name: a # *L\n    group: *L\n":                         "3:12",
		"probes:\n  - &Lx {name: a, y: *Lx, z: '*L', w: [*L], v: *L} # *L\n": "2:40",
		"probes:\n  - name: |\n      *L\n      *L\n    group: ä\n    ä: *L":  "6:8",
		"*L": "1:1",
		"x-a: b\nprobes: [{name: a, plain: {address: a}}]\n---\nc: *L\nd: \"*L\"\n": "4:4",
		"a: &L b\r\nc: *L\r\nd: *M\r\n":                                             "3:4",
		"a: 1\rc: *L\rd: 3\r":                                                       "1:9",
	} {
		if got := firstSays([]byte(text)); !strings.HasPrefix(got, "probes.yaml:"+want+": *") {
			t.Errorf("of %q it says %s, want that at %s", text, got, want)
		}
	}
}

// TestFarIsEmpty: of a great list no more is left than what is near a mistake, and the parser says the same.
func TestFarIsEmpty(t *testing.T) {
	t.Parallel()
	for _, mistake := range []string{"   interval: 3s", "   - name: x", " - name: x", "    labels: {a: *L}", "    labels: [a, b"} {
		text, line := mistaken(2000, 0, mistake, "a%d", "\n")
		lines := strings.SplitAfter(text, "\n")
		text = strings.Join(lines[:line+2], "")
		want := parseFirstTwo(strings.NewReader(text))
		near := blankFar([]byte(text), line+1)
		if got := parseFirstTwo(bytes.NewReader(near)); got == nil || got.Error() != want.Error() {
			t.Errorf("of what is near %q the parser says %v, want %v", mistake, got, want)
		}
		if len(near) > len(text)/4 {
			t.Errorf("of %d bytes %d are left near %q, want few", len(text), len(near), mistake)
		}
	}
}
