package schema

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gopkg.in/yaml.v3"
)

// A great file is one whose list of probes is parsed in pieces, on all cores. A piece is a run of elements
// of the list as they stand in the text. Where a text cannot be cut by looking at its lines alone, and
// where any piece does not parse by itself, as when an alias leads out of it, the text is parsed as a
// whole: pieces make reading quicker, and change nothing of what is read or said.
const (
	greatFile = 64 << 10
	// pieceSize is about how many elements a piece has, and pieceBytes from where on it has no more.
	pieceSize  = 16
	pieceBytes = 64 << 10
)

// piece is a run of elements of the list of probes.
type piece struct {
	text  []byte
	sum   [sha256.Size]byte
	line  int // how many lines stand before it
	first int // the number of its first element
	count int // of elements
	nodes []*yaml.Node
	known *recalled // what it came to when it was read before, or ahead; then there are no nodes
	ahead bool      // known is of now
}

// cutFile is a file's text, cut at its list of probes.
type cutFile struct {
	head, tail []byte // what stands before the list, the line probes: included, and after it
	tailLine   int    // how many lines stand before the tail
	// listLine and column are where the first dash of the list stands, from 1.
	listLine, column int
	pieces           []*piece
}

// frame is the same for two texts that differ in the pieces only.
func (c *cutFile) frame() [sha256.Size]byte {
	return sha256.Sum256(bytes.Join([][]byte{c.head, c.tail}, []byte("\n---\n")))
}

// parsePieces parses a great text in pieces, but for those that are remembered; nil when it cannot.
func (d *document) parsePieces(data []byte) *yaml.Node {
	if len(data) < greatFile || d.verbatim {
		return nil
	}
	cut := cutProbes(data, pieceSize)
	if cut == nil {
		return nil
	}
	if d.memory.on {
		d.recognize(cut)
	}
	root, list := cut.parseFrame()
	if root == nil || !d.memory.ahead && !cut.parsePieces(list) {
		return nil
	}
	d.cut = cut
	d.memory.partial = d.memory.partial || d.memory.ahead || slices.ContainsFunc(cut.pieces, func(p *piece) bool { return p.known != nil })
	return root
}

// piecewise walks the list of probes of a text that was parsed in pieces.
func (d *document) piecewise(list place) {
	if d.outside > d.asked || d.problems.added > d.wrong {
		d.forget()
	}
	if d.memory.ahead && !d.readAhead(list) {
		d.memory.doubtful = true
		return
	}
	from := 0
	for _, p := range d.cut.pieces {
		if p.known != nil {
			d.recall(p)
			continue
		}
		outside, added, spent := d.outside, d.problems.added, d.spent
		definitions, probes, named := len(d.set.definitions), len(d.set.Probes), len(d.named)
		d.elements(list, from, len(p.nodes), p.first)
		from += len(p.nodes)
		if d.outside == outside && d.problems.added == added {
			d.remember(p, definitions, probes, named, d.spent-spent)
		}
	}
}

// parseFrame makes the tree of what stands around the pieces, with an empty list for them; nil when it
// cannot.
func (c *cutFile) parseFrame() (root, list *yaml.Node) {
	root, ok := parseAlone(c.head, 0)
	if !ok || !isBlock(root) || len(root.Content) < 2 {
		return nil, nil
	}
	key, value := root.Content[len(root.Content)-2], root.Content[len(root.Content)-1]
	if key.Value != "probes" || value.Kind != yaml.ScalarNode || value.Tag != "!!null" || value.Value != "" || value.Style != 0 || value.Anchor != "" {
		return nil, nil
	}
	if len(c.tail) > 0 {
		tail, ok := parseAlone(c.tail, c.tailLine)
		if !ok || !isBlock(tail) || tail.Anchor != "" {
			return nil, nil
		}
		root.Content = append(root.Content, tail.Content...)
	}
	*value = yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: c.listLine, Column: c.column}
	return root, value
}

// isBlock is true of a mapping that is written by indentation.
func isBlock(n *yaml.Node) bool { return n.Kind == yaml.MappingNode && n.Style == 0 }

// parsePieces parses the pieces that are not known, and puts them into the list.
func (c *cutFile) parsePieces(list *yaml.Node) bool {
	return c.onAllCores(func() func(*piece) bool { return (*piece).parse }) && c.fill(list)
}

// fill puts what has been parsed into the list.
func (c *cutFile) fill(list *yaml.Node) bool {
	for _, p := range c.pieces {
		list.Content = append(list.Content, p.nodes...)
	}
	return true
}

// onAllCores hands each piece to one of as many functions as there are cores, each made where it is
// called, and says whether all of them were content; after the first that is not there is no other.
func (c *cutFile) onAllCores(make func() func(*piece) bool) bool {
	var next atomic.Int64
	var failed atomic.Bool
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(c.pieces)) {
		workers.Go(func() {
			do := make()
			for i := int(next.Add(1)) - 1; i < len(c.pieces) && !failed.Load(); i = int(next.Add(1)) - 1 {
				if !do(c.pieces[i]) {
					failed.Store(true)
				}
			}
		})
	}
	workers.Wait()
	return !failed.Load()
}

func (p *piece) parse() bool {
	if p.known != nil {
		return true
	}
	root, ok := parseAlone(p.text, p.line)
	if !ok || root.Kind != yaml.SequenceNode || len(root.Content) != p.count || root.Anchor != "" || root.Style != 0 {
		return false
	}
	p.nodes = root.Content
	return true
}

// parseAlone parses a part of a text before which so many lines stand.
func parseAlone(text []byte, line int) (*yaml.Node, bool) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	root, err := decodeOne(decoder)
	if err != nil {
		return nil, false
	}
	if _, err := decodeOne(decoder); !errors.Is(err, io.EOF) {
		return nil, false
	}
	if line > 0 {
		move(root, line)
	}
	return root, true
}

// move puts a tree so many lines further down. What an alias leads to is moved where it stands.
func move(n *yaml.Node, lines int) {
	n.Line += lines
	for _, child := range n.Content {
		move(child, lines)
	}
}
