// Package schema is the language of the definition files: it reads them strictly, says every problem
// with its place and in the words of the file, and makes the probes that they declare. It knows no
// kind of probe; the kinds are given to it.
//
// The road through it: source.go turns text into a tree of nodes, tree.go looks at the tree as a
// whole, file.go walks the top level and definition.go each probe, decode.go sets Go values by
// reflection under the rules of probe/value.go, validate.go runs the validator and puts its findings
// into our words, rules.go and advice.go say what fields owe each other, and build.go makes the probe.
package schema

//go:generate go run sonde/cmd/gendocs

import (
	"crypto/sha256"
	_ "embed" // for schema.json
	"encoding/binary"
	"encoding/hex"
	"path/filepath"

	"sonde/probe"
)

// Set is what the files declare.
type Set struct {
	// Probes are the enabled probes, in the order in which the files declare them.
	Probes []*probe.Probe
	// Warnings are sorted by file, line and column. The files work all the same.
	Warnings []Problem
	// Files is every file that was read, for whoever watches them.
	Files []string
	// Hash is the SHA-256 of the files' contents, in hex.
	Hash string
}

// Option is how files are read.
type Option func(*loader)

// Pipes lets a path be a pipe, such as /dev/stdin or a shell's <(...), of which as much is read as may be
// in a file. The reading lasts until the other side has closed it, and cannot be ended. In a folder a pipe
// is refused all the same.
func Pipes(l *loader) { l.pipes = true }

func (l *loader) apply(options []Option) {
	for _, o := range options {
		o(l)
	}
}

// Load reads files. A path is a file, or a folder of which every *.yaml and *.yml is read, sorted by
// name; hidden entries and subfolders are not. Nothing is kept of files that do not load: the error is
// Problems, or says which path could not be read.
func Load(paths []string, kinds []probe.Kind, options ...Option) (*Set, error) {
	l := newLoader(kinds)
	l.apply(options)
	if err := l.read(paths); err != nil {
		return nil, err
	}
	return l.finish()
}

// Parse reads the text of one file. Name is what problems call it; relative paths in the text start at
// the folder of name. The error is Problems.
func Parse(name string, data []byte, kinds []probe.Kind) (*Set, error) {
	l := newLoader(kinds)
	l.file(name, data)
	return l.finish()
}

//go:embed schema.json
var jsonSchema []byte

// JSONSchema is the JSON Schema (draft-07) of the files, for editors.
func JSONSchema() []byte { return append([]byte(nil), jsonSchema...) }

// loader gathers what the files of one set declare.
type loader struct {
	kinds    map[string]probe.Kind
	pipes    bool           // a path may be a pipe
	names    map[string]pos // where each name was declared first
	budgets  map[string]hostBudget
	loads    map[string]*hostLoad
	problems collector
	hash     []byte // of the contents so far, each with its length before it
	set      Set
	walk     *walker
	rules    *rules
}

func newLoader(kinds []probe.Kind) *loader {
	l := &loader{
		kinds:   make(map[string]probe.Kind, len(kinds)),
		names:   map[string]pos{},
		budgets: map[string]hostBudget{},
		loads:   map[string]*hostLoad{},
	}
	for _, k := range kinds {
		l.kinds[k.Name] = k
	}
	l.walk = newWalker(&l.problems)
	l.rules = newRules(&l.problems, l.walk)
	return l
}

// file reads one file's text into the set.
func (l *loader) file(name string, data []byte) {
	l.note(data)
	l.set.Files = append(l.set.Files, name)
	d := &document{loader: l, name: name, dir: filepath.Dir(name), size: len(data)}
	root := d.parse(data)
	if root == nil || !d.scan(root) {
		return
	}
	d.top(place{node: root, doc: d})
}

// note mixes a file's content into the hash of the set.
func (l *loader) note(data []byte) {
	sum := sha256.Sum256(data)
	l.hash = binary.BigEndian.AppendUint64(l.hash, uint64(len(data)))
	l.hash = append(l.hash, sum[:]...)
}

// finish is the set, or all problems.
func (l *loader) finish() (*Set, error) {
	l.adviseHosts()
	problems, warnings := l.problems.sorted()
	if len(problems) > 0 {
		closeAll(l.set.Probes)
		return nil, problems
	}
	sum := sha256.Sum256(l.hash)
	l.set.Hash, l.set.Warnings = hex.EncodeToString(sum[:]), warnings
	return &l.set, nil
}
