package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

// The parser names the line where a mapping or list began that does not go on as it should, not the line
// that is at fault, and of some mistakes none at all. The line at fault is the last of the shortest text
// that has the same mistake. To find it costs a parse of the text up to there and several of much less:
// of the pieces (cut.go) where the parser gave up, with empty lines for those before.

// seek finds the line at which the parser gives up. Of what follows it no more is looked at.
func (s *syntaxError) seek() {
	s.narrow()
	if !strings.HasPrefix(s.text, "did not find expected") && !s.unknownAnchor() {
		return
	}
	ends := lineEnds(s.lines, len(s.data))
	first := min(s.line+1, len(s.lines))
	if s.unknownAnchor() {
		first = 1
	}
	fails := func(line int) bool { return s.failsAlike(s.data[:ends[line-1]]) }
	last := len(s.lines)
	for step := 1; last-step >= first && fails(last-step); step *= 2 {
		last, first = last-step, max(first, last-3*step)
	}
	s.line = first + sort.Search(last-first, func(i int) bool { return fails(first + i) })
}

// lineEnds is where each line ends, with what ends it, in a text of that size.
func lineEnds(lines [][]byte, size int) []int {
	ends := make([]int, len(lines))
	at := 0
	for i, line := range lines {
		at = min(at+len(line)+1, size)
		ends[i] = at
	}
	return ends
}

// narrow leaves of the text what the parser looked at, and of that, where the same mistake is found in
// it, only what is near: lines before are empty then, so that all others keep their numbers.
func (s *syntaxError) narrow() {
	r := lineReader{rest: s.data}
	err := parseFirstTwo(&r)
	if err == nil {
		return
	}
	read := s.data[:lineEnd(s.data, len(s.data)-len(r.rest))]
	lines := bytes.Count(read, []byte("\n"))
	for _, from := range []int{lines, min(s.line, lines)} { // the mistake begins where the parser gave up, or far above
		near := blankFar(read, from)
		if was := parseFirstTwo(bytes.NewReader(near)); was != nil && was.Error() == err.Error() {
			read = near
			break
		}
	}
	s.data = read
	s.lines = bytes.Split(read, []byte("\n"))
}

// lineEnd is where the line ends that a place of a text stands in, and the place itself where one begins.
func lineEnd(text []byte, at int) int {
	if at == 0 || text[at-1] == '\n' {
		return at
	}
	line, _, _ := bytes.Cut(text[at:], []byte("\n"))
	return min(at+len(line)+1, len(text))
}

// lineReader hands out a text a line at a time, so that what is left of it tells how far somebody came.
type lineReader struct{ rest []byte }

func (r *lineReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	line, _, _ := bytes.Cut(r.rest, []byte("\n"))
	n := copy(p, r.rest[:min(len(line)+1, len(r.rest))])
	r.rest = r.rest[n:]
	return n, nil
}

// parseFirstTwo is what the parser says of the first two documents of a text, nil for nothing; nobody
// reads further ones.
func parseFirstTwo(text io.Reader) error {
	decoder := yaml.NewDecoder(text)
	for range 2 {
		if _, err := decodeOne(decoder); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// failsAlike is true of a text of which the parser says the same.
func (s *syntaxError) failsAlike(text []byte) bool {
	err := parseFirstTwo(bytes.NewReader(text))
	return err != nil && strings.HasSuffix(err.Error(), s.text)
}

// blankFar empties the lines between the head of the text and the piece of its list of probes that comes
// before the one where a line stands; of the list it leaves where it begins. It is the text itself where
// that is not known.
func blankFar(text []byte, line int) []byte {
	c := cutter{data: text, indent: -1, size: pieceSize}
	if !c.readHead() {
		return text
	}
	for c.at < len(text) && c.line < line {
		if done, ok := c.step(); done || !ok {
			break
		}
	}
	if len(c.pieces) < 3 {
		return text
	}
	size := len(c.head)
	for _, p := range c.pieces[:len(c.pieces)-2] { // the last one may begin right after what is at fault
		size += len(p.text)
	}
	above := c.listLine - 1 - bytes.Count(c.head, []byte("\n"))
	below := bytes.Count(text[:size], []byte("\n")) - c.listLine
	dash := fmt.Sprintf("%*s- x\n", c.indent, "")
	return slices.Concat(c.head, bytes.Repeat([]byte("\n"), above), []byte(dash), bytes.Repeat([]byte("\n"), below), text[size:])
}
