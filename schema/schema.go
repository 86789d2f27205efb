// Package schema is the language of the definition files: it reads them strictly, says every problem
// with its place and in the words of the file, and makes the probes that they declare. It knows no
// kind of probe; the kinds are given to it.
//
// The road through it: source.go reads text and syntax.go turns it into a tree of nodes (a great one in
// pieces: cut.go, pieces.go; where only its probes are wanted, each read on its own: ahead.go; and what has not
// changed since it was read last not at all: memory.go), tree.go looks at the tree as a whole, file.go walks the
// top level and definition.go each probe, decode.go sets Go values by reflection under the rules of
// probe/value.go, validate.go runs the validator and puts its findings into our words, rules.go and advice.go
// say what fields owe each other, and build.go makes the probe.
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
	Reach
	// Hash is the SHA-256 of the contents of the files with definitions and targets, in hex. It tells
	// nothing of what was filled in.
	Hash string

	definitions []*definition // of all probes, disabled ones too
}

// Reach is what a set of files led to, for whoever watches them.
type Reach struct {
	// Files is every file that was read or looked for: definitions, targets, what ${file:…} and ${cred:…}
	// lead to, and what blocks of kinds name.
	Files []string
	// Sums are the SHA-256 of those of Files that could be read, as they were then.
	Sums map[string][sha256.Size]byte
	// Patterns are those of include and targets_from. A file that comes to match one changes the set.
	Patterns []string
}

// Load reads files, and what they include. A path is a file, or a folder of which every *.yaml and *.yml
// is read, sorted by name; hidden entries and subfolders are not. Nothing is kept of files that do not
// load: the error is Problems, or says which path could not be read.
func Load(paths []string, kinds []probe.Kind) (*Set, error) { return System().Load(paths, kinds) }

// Parse reads the text of one file, and what it includes. Name is what problems call it; relative paths
// in the text start at the folder of name. The error is Problems.
func Parse(name string, data []byte, kinds []probe.Kind) (*Set, error) {
	return System().Parse(name, data, kinds)
}

//go:embed schema.json
var jsonSchema []byte

// JSONSchema is the JSON Schema (draft-07) of the files, for editors.
func JSONSchema() []byte { return append([]byte(nil), jsonSchema...) }

// loader gathers what the files of one set declare.
type loader struct {
	kinds    map[string]probe.Kind
	names    map[string]pos // where each name was declared first
	budgets  map[string]hostBudget
	loads    map[string]*hostLoad
	problems collector
	hash     []byte // of the contents so far, each with its length before it
	set      Set
	walk     *walker
	rules    *rules
	world    World
	docs     map[string]*document // by their identity
	// targetFiles are the files of targets that were read, and filled those that are filled in.
	targetFiles map[string]targetGroups
	filled      map[string]filledFile
	contentSums map[string][sha256.Size]byte // of the files that blocks of kinds name
	known       map[string]bool              // the files that are in the set's Files
	spent       int                          // values that came of profiles and targets
	outside     int                          // how often something beside the files' own text was asked for
	memory      memory
	allProfiles []declaredProfile
}

func newLoader(w World, kinds []probe.Kind) *loader {
	l := &loader{
		kinds:   make(map[string]probe.Kind, len(kinds)),
		names:   map[string]pos{},
		budgets: map[string]hostBudget{},
		set:     Set{Reach: Reach{Sums: map[string][sha256.Size]byte{}}},
		world:   w, docs: map[string]*document{}, targetFiles: map[string]targetGroups{}, filled: map[string]filledFile{},
		contentSums: map[string][sha256.Size]byte{}, known: map[string]bool{},
		loads: map[string]*hostLoad{},
	}
	for _, k := range kinds {
		l.kinds[k.Name] = k
	}
	l.walk = newWalker(&l.problems)
	l.walk.fetch, l.walk.absent = l.fetch, w.Absent
	l.rules = newRules(&l.problems, l.walk)
	return l
}

// file reads one file's text into the set.
func (l *loader) file(d *document, data []byte) {
	l.note(d.name, data)
	d.loader, d.dir, d.open = l, filepath.Dir(d.name), true
	d.asked, d.wrong = l.outside, l.problems.added
	l.docs[identity(d.name)] = d
	defer func() { d.open = false }()
	root := d.parse(data)
	if root == nil || !d.scan(root) {
		d.blind = true
		return
	}
	d.top(place{node: root, doc: d})
}

// note mixes a file's content into the hash of the set.
func (l *loader) note(name string, data []byte) {
	sum := l.sought(name, data)
	l.hash = binary.BigEndian.AppendUint64(l.hash, uint64(len(data)))
	l.hash = append(l.hash, sum[:]...)
}

// finish is the set, or all problems.
func (l *loader) finish() (*Set, error) {
	l.adviseHosts()
	l.adviseUnused()
	l.adviseDisabled()
	problems, warnings := l.problems.sorted()
	if len(problems) > 0 {
		l.drop()
		return nil, problems
	}
	sum := sha256.Sum256(l.hash)
	l.set.Hash, l.set.Warnings = hex.EncodeToString(sum[:]), warnings
	return &l.set, nil
}
