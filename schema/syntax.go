package schema

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"sonde/probe"
)

// document is one file on its way into the set.
type document struct {
	*loader
	name     string
	dir      string
	from     string // why it is read: included at a.yaml:2:5; empty of a file that was asked for
	verbatim bool   // its values are taken as they stand
	wanted   string // what an empty one should hold; "" of a file of probes
	library  bool   // it declares no probes, so that its profiles are for other files
	open     bool   // it is being read: whoever leads to it leads round in a circle
	blind    bool   // profiles may be missing, for a reason that was said
	defaults place  // the block defaults; zero when there is none
	root     place  // the whole, when its top level has values for probes; else zero
	base     common // the built-in values under those and defaults
	profiles profiles
	// cut is the text in pieces; nil when it was parsed as a whole.
	cut *cutFile
	// asked and wrong are what loader.outside and the number of problems were when it was opened.
	asked, wrong int
	bases        map[string]*common // base with profiles, by their names
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
	if d.tooHeavy(data) {
		return nil
	}
	if root := d.parsePieces(data); root != nil {
		return root
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	root, err := decodeOne(decoder)
	switch {
	case errors.Is(err, io.EOF):
		d.textual(1, 1, RuleEmpty, "the file is empty, want "+cmp.Or(d.wanted, "at least probes: with one probe in it"))
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
	d.problems.add(fmt.Sprint(d.name, "\x00", rule, line, ":", column), finding{pos: pos{d.name, line, column}, rule: rule, text: text, from: d.from})
}

// illegible finds the first thing that YAML does not allow in a text; an empty text is none.
func illegible(data []byte) (line, column int, text string) {
	if bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")) || bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")) {
		return 1, 1, "the file is encoded as UTF-32, want UTF-8; save it as UTF-8"
	}
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
			return line, column, fmt.Sprintf(`control character %U stands in the text; remove it, or write it in double quotes as "%s"`, r, probe.Printable(string(r)))
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
