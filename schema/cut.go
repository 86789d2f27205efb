package schema

import (
	"bytes"
	"hash/crc32"
)

// cutter cuts a text at the elements of its list of probes, by looking at how its lines are indented. What
// it takes for the beginning of an element may stand within quotes or brackets: then the piece before it
// does not parse. It gives up on what it does not know for sure.
type cutter struct {
	cutFile
	data    []byte
	at      int    // where the line begins
	line    int    // how many lines stand before it
	indent  int    // of the dashes; -1 before the first
	listAt  int    // where the text of the piece begins
	size    uint32 // about how many elements a piece has
	current *piece
}

// otherBreaks are what YAML takes for ends of lines beside \n.
var otherBreaks = [][]byte{{'\r'}, []byte("\u0085"), []byte("\u2028"), []byte("\u2029")}

// cutProbes cuts a text into pieces of about so many elements; nil when that cannot be done.
func cutProbes(data []byte, size uint32) *cutFile {
	for _, b := range otherBreaks {
		if bytes.Contains(data, b) {
			return nil
		}
	}
	c := &cutter{data: data, indent: -1, size: size}
	if !c.readHead() {
		return nil
	}
	for c.at < len(data) {
		if done, ok := c.step(); !ok {
			return nil
		} else if done {
			break
		}
	}
	if c.current == nil {
		return nil
	}
	c.end()
	if c.tail = data[c.at:]; hasMarker(c.tail) {
		return nil
	}
	c.tailLine = c.line
	return &c.cutFile
}

// next is the line, without its end, and goes on to the next one.
func (c *cutter) next() []byte {
	rest := c.data[c.at:]
	end := bytes.IndexByte(rest, '\n')
	if end < 0 {
		c.at = len(c.data)
		return rest
	}
	c.at += end + 1
	c.line++
	return rest[:end]
}

// readHead goes past the line probes: at the beginning of a line.
func (c *cutter) readHead() bool {
	for c.at < len(c.data) {
		rest, ok := bytes.CutPrefix(c.next(), []byte("probes:"))
		if !ok {
			continue
		}
		if rest = bytes.TrimLeft(rest, " "); len(rest) > 0 && rest[0] != '#' {
			return false
		}
		c.head = c.data[:c.at]
		c.listAt = c.at
		return true
	}
	return false
}

// step looks at one line of the list. It is done at the first line that belongs to the list no more.
func (c *cutter) step() (done, ok bool) {
	at, before := c.at, c.line
	line := c.next()
	content := bytes.TrimLeft(line, " ")
	indent := len(line) - len(content)
	switch {
	case len(bytes.TrimSpace(content)) == 0, content[0] == '#':
		return false, true
	case content[0] == '\t':
		return false, false // where it counts as indentation YAML does not allow it, and elsewhere it is rare
	case indent == max(c.indent, 0) && isDash(content), c.indent < 0 && isDash(content):
		c.indent = indent
		c.element(at, before, line)
		return false, true
	case c.indent < 0 || indent > 0 && indent <= c.indent, isMarker(line):
		return false, false
	case indent > c.indent:
		return false, true
	}
	c.at, c.line = at, before
	return true, true
}

// element begins an element, and now and then a piece. Where pieces begin depends on what stands there
// alone, so that a change to one of them leaves the others as they are.
func (c *cutter) element(at, line int, text []byte) {
	p := c.current
	if p == nil || crc32.ChecksumIEEE(text)%c.size == 0 || at-c.listAt > pieceBytes {
		next := &piece{line: line}
		if p == nil {
			next.line -= bytes.Count(c.data[c.listAt:at], []byte("\n")) // what stands before the first element
			c.listLine = line + 1
		} else {
			after := c.at
			c.at = at
			c.end()
			c.at = after
			next.first = p.first + p.count
		}
		c.pieces = append(c.pieces, next)
		c.current, c.column = next, c.indent+1
	}
	c.current.count++
}

// end ends the piece before where the cutter is.
func (c *cutter) end() {
	c.current.text = c.data[c.listAt:c.at]
	c.listAt = c.at
}

// isDash is true of a line that begins an element.
func isDash(content []byte) bool {
	return content[0] == '-' && (len(content) == 1 || content[1] == ' ')
}

// isMarker is true of a line that ends a document or begins one.
func isMarker(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("..."))
}

func hasMarker(text []byte) bool {
	for line := range bytes.Lines(text) {
		if isMarker(line) {
			return true
		}
	}
	return false
}
