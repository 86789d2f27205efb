package schema

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// quote adds where a double quote begins, at or above the line, that was meant to end on its line: another
// one ends it, with text right after it, or none does.
func (s *syntaxError) quote() {
	var q quotes
	for i, text := range s.lines[:min(s.line, len(s.lines))] {
		if q.line(i+1, text); q.broken {
			break
		}
	}
	if q.broken || q.open && q.from < s.line {
		s.text += fmt.Sprintf("; the quote that begins at %d:%d has no end on its line", q.from, q.column)
	}
}

// quotes follows double quotes from line to line.
type quotes struct {
	open, broken bool
	from, column int // where the one begins that is open, or broken
}

// line goes through a line.
func (q *quotes) line(n int, text []byte) {
	single := false
	for i := 0; i < len(text) && !q.broken; i++ {
		before, after := byte(' '), byte(' ')
		if i > 0 {
			before = text[i-1]
		}
		if i+1 < len(text) {
			after = text[i+1]
		}
		switch c := text[i]; {
		case c == '\\' && q.open:
			i++
		case c == '"' && q.open:
			q.broken = q.from < n && !strings.ContainsRune(" ,:]}\r", rune(after))
			q.open = q.broken
		case c == '"' && !single && strings.IndexByte(" [{,:", before) >= 0:
			q.open, q.from, q.column = true, n, utf8.RuneCount(text[:i])+1
		case c == '\'' && !q.open:
			single = !single && strings.IndexByte(" [{,:", before) >= 0
		case c == '#' && !q.open && !single && before == ' ':
			return
		}
	}
}

// endsInQuotes is what the parser says of a quoted text without an end.
const endsInQuotes = "found unexpected end of stream"

// unclosed finds where the quote begins that nothing closes: where the text ends in quotes from that line
// on, and not before it.
func (s *syntaxError) unclosed() bool {
	if !strings.Contains(s.text, endsInQuotes) {
		return false
	}
	line, column := openQuote(s.lines)
	if line == 0 || s.endsInQuotes(line-1) || !s.endsInQuotes(line) {
		return false
	}
	s.line, s.column = line, column
	s.text = "this is not YAML: the quote that begins here is not closed by the end of the file"
	return true
}

// endsInQuotes is true when so many lines of the text end within quotes.
func (s *syntaxError) endsInQuotes(lines int) bool {
	_, err := decodeOne(yaml.NewDecoder(bytes.NewReader(bytes.Join(s.lines[:lines], []byte("\n")))))
	return err != nil && strings.Contains(err.Error(), endsInQuotes)
}

// openQuote is the line and column of the quote that is open at the end, and 0 when none is.
func openQuote(lines [][]byte) (line, column int) {
	var open byte
	for n, text := range lines {
		for i := 0; i < len(text); i++ {
			before := byte(' ')
			if i > 0 {
				before = text[i-1]
			}
			switch c := text[i]; {
			case open == '"' && c == '\\', open == '\'' && c == '\'' && i+1 < len(text) && text[i+1] == '\'':
				i++
			case open != 0 && c == open:
				open = 0
			case open == 0 && (c == '"' || c == '\'') && strings.IndexByte(" [{,:", before) >= 0:
				open, line, column = c, n+1, utf8.RuneCount(text[:i])+1
			case open == 0 && c == '#' && before == ' ':
				i = len(text)
			}
		}
	}
	if open == 0 {
		return 0, 0
	}
	return line, column
}
