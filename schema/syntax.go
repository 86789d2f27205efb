package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// document is one file on its way into the set.
type document struct {
	*loader
	name     string
	dir      string
	size     int   // of the text, in bytes
	defaults place // the block defaults; zero when there is none
}

// parse turns the text into a tree; nil when it reported why there is none.
func (d *document) parse(data []byte) *yaml.Node {
	if len(data) > maxSize {
		d.textual(1, 1, RuleTooLarge, fmt.Sprintf("the file is over %d MiB, want less; split it into several files", maxSize>>20))
		return nil
	}
	if line, column, text := illegible(data); text != "" {
		d.textual(line, column, RuleEncoding, text)
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	root, err := decodeOne(decoder)
	switch {
	case errors.Is(err, io.EOF):
		d.textual(1, 1, RuleEmpty, "the file is empty, want at least probes: with one probe in it")
		return nil
	case err != nil:
		d.syntax(data, err)
		return nil
	}
	d.onlyOne(data, decoder)
	return root
}

// decodeOne is the root of the next document. A panic of the parser is an error like any other.
func decodeOne(decoder *yaml.Decoder) (root *yaml.Node, err error) {
	defer func() {
		if v := recover(); v != nil {
			root, err = nil, fmt.Errorf("yaml: the parser cannot make sense of it: %v", v)
		}
	}()
	var doc yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, io.EOF
	}
	return doc.Content[0], nil
}

// onlyOne reports a second document.
func (d *document) onlyOne(data []byte, decoder *yaml.Decoder) {
	second, err := decodeOne(decoder)
	switch {
	case err == nil:
		d.textual(marker(data, second.Line), 1, RuleSecondDoc,
			"a second document begins here, want one document in a file; move it to a file of its own")
	case !errors.Is(err, io.EOF):
		d.syntax(data, err)
	}
}

// marker is the line of the --- at or before a line, or the line itself.
func marker(data []byte, line int) int {
	lines := bytes.SplitN(data, []byte("\n"), line+1)
	for i := min(line, len(lines)) - 1; i >= 0; i-- {
		if bytes.HasPrefix(lines[i], []byte("---")) {
			return i + 1
		}
	}
	return line
}

// textual reports a problem that belongs to a place of the text and to no value.
func (d *document) textual(line, column int, rule, text string) {
	d.problems.add(fmt.Sprint(rule, line, column), finding{pos: pos{d.name, line, column}, rule: rule, text: text})
}

// illegible finds the first thing that YAML does not allow in a text; an empty text is none.
func illegible(data []byte) (line, column int, text string) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return 1, 1, "the file is encoded as UTF-16, want UTF-8; save it as UTF-8"
	}
	line, column = 1, 1
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return line, column, fmt.Sprintf("byte 0x%02x is not UTF-8, want text in UTF-8", data[i])
		case !printable(r) && !(r == '\ufeff' && i == 0):
			return line, column, fmt.Sprintf(`control character %U stands in the text; remove it, or write it in double quotes as "%s"`, r, escape(r))
		case r == '\n':
			line, column = line+1, 0
		}
		column++
		i += size
	}
	return 0, 0, ""
}

// printable is YAML's set of characters that may stand in a text.
func printable(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return true
	case r < 0x20, r >= 0x7f && r < 0xa0, r == 0xfeff, r == 0xfffe, r == 0xffff:
		return false
	}
	return true
}

func escape(r rune) string {
	if r < 0x100 {
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// syntax reports what the YAML parser says. Its own place is a line at most, and none for the first.
func (d *document) syntax(data []byte, err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		number, after, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			line, text = max(1, n), after
		}
	}
	s := syntaxError{data: data, lines: bytes.Split(data, []byte("\n")), line: line, text: text}
	s.explain()
	d.textual(s.line, s.column, RuleSyntax, s.text)
}

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
	{"found unexpected end of stream", "a quoted text is not closed by the end of the file"},
	{"unknown escape character", `a backslash in double quotes begins an escape, and there is none such; use single quotes, or write \\`},
	{"block sequence entries are not allowed", `a list cannot begin on the line of its key; put each "- " on a line of its own`},
	{"could not find expected ':'", `a line is neither "key: value" nor "- element"; a text over several lines needs quotes or |`},
}

// explain finds the best place and words for the complaint.
func (s *syntaxError) explain() {
	if s.tab() {
		return
	}
	if s.anchor() {
		return
	}
	s.seek()
	s.column = s.indent(s.line) + 1
	if strings.Contains(s.text, "cannot start any token") {
		s.token()
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

// maxSeek bounds the size of the files in which the line of a mistake is looked for.
const maxSeek = 1 << 20

// seek finds the line at which the parser gives up. Of a mapping or list that does not go on as it
// should it names only where that began; the text up to the line in question has no such mistake.
func (s *syntaxError) seek() {
	if !strings.HasPrefix(s.text, "did not find expected") || len(s.data) > maxSeek {
		return
	}
	s.line = min(s.line+1, len(s.lines))
	ends := make([]int, len(s.lines))
	at := 0
	for i, line := range s.lines {
		at = min(at+len(line)+1, len(s.data))
		ends[i] = at
	}
	rest := len(s.lines) - s.line
	n := sort.Search(rest, func(i int) bool {
		_, err := decodeOne(yaml.NewDecoder(bytes.NewReader(s.data[:ends[s.line-1+i]])))
		return err != nil && strings.HasSuffix(err.Error(), s.text)
	})
	s.line += n
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

// anchor finds the use of an anchor that is not declared, which the parser says without a line.
func (s *syntaxError) anchor() bool {
	name, ok := strings.CutPrefix(s.text, "unknown anchor '")
	if !ok {
		return false
	}
	name, _, _ = strings.Cut(name, "'")
	s.line, s.column = 1, 1
	for i, line := range s.lines {
		if at := bytes.Index(line, []byte("*"+name)); at >= 0 {
			s.line, s.column = i+1, utf8.RuneCount(line[:at])+1
			break
		}
	}
	name = clip(name)
	s.text = fmt.Sprintf("*%s refers to an anchor that is not declared above it, want &%s at an earlier value, or quotes if it is meant as text", name, name)
	return true
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
