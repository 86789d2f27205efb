package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"
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
