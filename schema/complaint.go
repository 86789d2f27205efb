package schema

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// syntaxError is a parser's complaint on its way to a better one.
type syntaxError struct {
	data   []byte
	lines  [][]byte
	line   int
	column int
	text   string
}

// complaints turns the parser's words into ours.
var complaints = []struct{ has, say string }{
	{"mapping values are not allowed", `a second ": " on a line that already has one, or a line indented further than its key allows; put a value that holds ": " in quotes`},
	{"did not find expected key", "the indentation does not fit, or a quote ends too early; the keys of one mapping begin in the same column"},
	{"did not find expected '-' indicator", "the indentation does not fit; the dashes of one list begin in the same column, and a list cannot have keys beside it"},
	{"did not find expected ',' or ']'", "a list that begins with [ is not closed; write ] or put a comma between its elements"},
	{"did not find expected ',' or '}'", "a mapping that begins with { is not closed; write } or put a comma between its entries"},
	{endsInQuotes, "a quoted text is not closed by the end of the file"},
	{"unknown escape character", `a backslash in double quotes begins an escape, and there is none such; use single quotes, or write \\`},
	{"block sequence entries are not allowed", `a list cannot begin on the line of its key; put each "- " on a line of its own`},
	{"could not find expected ':'", `a line is neither "key: value" nor "- element"; a text over several lines needs quotes or |`},
}

// explain finds the best place and words for the complaint.
func (s *syntaxError) explain() {
	if s.tab() {
		return
	}
	s.seek()
	if s.anchor() {
		return
	}
	s.column = s.indent(s.line) + 1
	if strings.Contains(s.text, "cannot start any token") {
		s.token()
		return
	}
	if s.unclosed() {
		return
	}
	for _, c := range complaints {
		if strings.Contains(s.text, c.has) {
			s.text = c.say
			break
		}
	}
	s.text = "this is not YAML: " + s.text
	s.braces()
	s.quote()
}

// braces adds a hint where a template's braces are the likely cause, and finds a second colon.
func (s *syntaxError) braces() {
	line := s.lines[min(s.line, len(s.lines))-1]
	if bytes.Contains(line, []byte("${")) || bytes.Contains(line, []byte("{{")) {
		s.text += "; text that holds { needs quotes"
	}
	if first := bytes.Index(line, []byte(": ")); strings.Contains(s.text, "a second") && first >= 0 {
		if second := bytes.Index(line[first+2:], []byte(":")); second >= 0 {
			s.column = utf8.RuneCount(line[:first+2+second]) + 1
		}
	}
}

// tab finds a tab in the indentation of the line or of the one after it.
func (s *syntaxError) tab() bool {
	for line := s.line; line <= s.line+1 && line <= len(s.lines); line++ {
		indent := s.lines[line-1][:s.indent(line)]
		if i := bytes.IndexByte(indent, '\t'); i >= 0 {
			s.line, s.column = line, i+1
			s.text = "a tab indents this line, want spaces: YAML allows no tabs there"
			return true
		}
	}
	return false
}

// token finds the character that may not begin a value.
func (s *syntaxError) token() {
	line := s.lines[min(s.line, len(s.lines))-1]
	for _, before := range []string{": ", "- ", "[", ", "} {
		for _, c := range "@`%" {
			if i := bytes.Index(line, []byte(before+string(c))); i >= 0 {
				s.column = utf8.RuneCount(line[:i+len(before)]) + 1
				s.text = fmt.Sprintf("a value cannot begin with %c in YAML; put it in quotes", c)
				return
			}
		}
	}
	s.text = "this is not YAML: a value begins with a character that YAML keeps for itself; put it in quotes"
}

// indent is the number of bytes of white space before the text of a line.
func (s *syntaxError) indent(line int) int {
	if line > len(s.lines) {
		return 0
	}
	text := s.lines[line-1]
	return len(text) - len(bytes.TrimLeft(text, " \t"))
}
