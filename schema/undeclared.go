package schema

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// unknownAnchor is true of a complaint about an alias to nothing.
func (s *syntaxError) unknownAnchor() bool { return strings.HasPrefix(s.text, "unknown anchor '") }

// anchor places the alias to an anchor that is not declared, on the line that was sought: the parser says
// its name alone.
func (s *syntaxError) anchor() bool {
	if !s.unknownAnchor() {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(s.text, "unknown anchor '"), "'")
	s.column = s.aliasColumn([]byte("*" + name))
	name = clip(name)
	s.text = fmt.Sprintf("*%s refers to an anchor that is not declared above it, want &%s at an earlier value, or quotes if it is meant as text", name, name)
	return true
}

// aliasColumn is where on the line the alias stands: what looks like it in a comment, in quotes, or as
// the beginning of a longer name is none, and the text up to there has no such mistake.
func (s *syntaxError) aliasColumn(alias []byte) int {
	line, before := s.lines[s.line-1], 0
	if s.line > 1 {
		before = lineEnds(s.lines, len(s.data))[s.line-2]
	}
	places := aliases(line, alias)
	i := sort.Search(len(places), func(i int) bool { return s.failsAlike(s.data[:before+places[i]+len(alias)]) })
	if i == len(places) {
		return s.indent(s.line) + 1
	}
	return utf8.RuneCount(line[:places[i]]) + 1
}

// aliases are the places on a line that look like an alias.
func aliases(line, alias []byte) []int {
	var places []int
	for at := 0; ; at += len(alias) {
		next := bytes.Index(line[at:], alias)
		if next < 0 {
			return places
		}
		at += next
		if end := at + len(alias); end == len(line) || !inAnchor(line[end]) {
			places = append(places, at)
		}
	}
}

// inAnchor is true of what may stand in the name of an anchor.
func inAnchor(c byte) bool {
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
