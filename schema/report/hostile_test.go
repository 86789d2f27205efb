package report

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"sonde/schema"
)

// hostile are names and texts that mean something to a terminal, a CI program, XML or JSON.
var hostile = []string{
	"::error::pwned", "  ::set-output name=x::y", "##[stop-commands]x", "a ##vso[task.setvariable]b", "##teamcity[x]",
	"\x1b[31mred\x1b[0m", "a\rb\nc", "\u202egnp.exe", "a\u2028b", "\xff\xfe", "]]></failure><x>", `<script>"'&`, "\x00\x7f\ufffe\uffff",
	"%0A%25", "{0} [click](https://evil.example/)", "a=b,c:d", "../../etc/passwd", "C:\\x", "-", " ",
}

// ofHostile is a report in which everything is hostile.
func ofHostile() Report {
	r := Report{Name: hostile[0], Version: hostile[5]}
	for i, s := range hostile {
		p := schema.Problem{File: s, Line: i + 1, Column: 1, Text: s, Rule: schema.RuleValue, Warning: i%2 == 0}
		r.Files = append(r.Files, s)
		if p.Warning {
			r.Warnings = append(r.Warnings, p)
		} else {
			r.Problems = append(r.Problems, p)
		}
	}
	return r
}

func TestHostileTextsStayTexts(t *testing.T) {
	t.Parallel()
	for _, f := range Formats() {
		t.Run(string(f), func(t *testing.T) {
			t.Parallel()
			text := written(t, f, ofHostile())
			if !utf8.ValidString(text) {
				t.Error("not UTF-8")
			}
			for _, r := range text {
				if unicode.IsControl(r) && r != '\n' {
					t.Errorf("holds control character %U", r)
				}
			}
			for _, line := range strings.Split(text, "\n") {
				if _, is := parseCommand(line); is && f != GitHub {
					t.Errorf("a line is a command: %q", line)
				}
				if strings.Contains(line, "##[") && f != JSON && f != GitLab && f != JUnit {
					t.Errorf("a line holds a command: %q", line)
				}
			}
		})
	}
}

func TestTextHasALineForEachFinding(t *testing.T) {
	t.Parallel()
	if got, want := strings.Count(written(t, Text, ofHostile()), "\n"), len(hostile); got != want {
		t.Errorf("%d lines, want %d", got, want)
	}
}

func TestGitHubRunsNoForeignCommand(t *testing.T) {
	t.Parallel()
	commands, _ := commandsOf(written(t, GitHub, ofHostile()))
	if len(commands) != len(hostile) {
		t.Errorf("%d commands, want %d", len(commands), len(hostile))
	}
	for _, c := range commands {
		if c.name != "error" && c.name != "warning" || strings.Contains(c.message, "##[") {
			t.Errorf("runs %+v", c)
		}
	}
}

func TestJSONAndXMLAreWellFormed(t *testing.T) {
	t.Parallel()
	for _, f := range []Format{JSON, SARIF, GitLab} {
		d := json.NewDecoder(strings.NewReader(written(t, f, ofHostile())))
		var v any
		if err := d.Decode(&v); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		if err := d.Decode(&v); err != io.EOF {
			t.Errorf("%s: more than one value follows: %v", f, err)
		}
	}
	d := xml.NewDecoder(strings.NewReader(written(t, JUnit, ofHostile())))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, is := token.(xml.StartElement); is && e.Name.Local == "x" {
			t.Error("a text became an element")
		}
	}
}
