// Package schema is the language of the definition files: it reads them strictly, says every problem
// with its place and in the words of the file, and makes the probes that they declare. It knows no
// kind of probe; the kinds are given to it.
//
// # The files, by subject
//
//   - The doors: world.go (World: what may be reached; Load, Parse), check.go (Checked: all that is to be
//     said), memory.go (the same again and again, with what has not changed), schema.go (Set: what comes of it).
//   - From text to a tree: source.go reads text, weight.go bounds what the parser is given, syntax.go parses and
//     tree.go looks at the tree as a whole; cut.go and pieces.go do so with a great file, in pieces, and ahead.go
//     reads those on all cores; place.go is a node and how it was reached; complaint.go, seek.go, unclosed.go
//     and undeclared.go better the parser's words and places.
//   - The walk: file.go takes the top level, include.go what it includes, profile.go its profiles, declaration.go
//     an element of the list of probes, layer.go what its values come from, target.go, targetfile.go and targetexported.go
//     its targets, spend.go what all that may amount to, definition.go one probe, perhost.go what
//     probes of one host must agree on.
//   - From nodes to Go values: decode.go, by reflection under the rules of probe/value.go, with fields.go,
//     scalar.go, anything.go, duration.go, names.go; common.go is the common values and their defaults;
//     parts.go, fill.go, urlfill.go and absent.go take ${…} and {{…}} apart and fill them in.
//   - Rules: shape.go runs the validator and tags.go and phrase.go put what it finds into our words; rules.go
//     is what fields owe each other, rest.go what is left of a block that was not read whole, rulenames.go
//     the table of rules, problem.go what a breach is.
//   - Advice, on what is legal and cannot be meant: advice.go and *advice.go, unused.go.
//   - Words: words.go, likewise.go, suggest.go ("did you mean"), foreign.go, elsewhere.go and homes.go (what other
//     programs call it).
//   - What comes of it: build.go makes the probe, digest.go and contents.go say when it is the same; declared.go
//     has every probe, disabled ones too.
//   - What holds: effective.go is every value and where it comes from, asfile.go, mark.go and idle.go how it
//     may be shown, print.go, printbeaten.go and quote.go write it.
//   - Pages: describe.go is what a page of the language is made of, with described.go and preset.go; package
//     cmd/gendocs/pages makes them, and embedded.go holds those that the program shows.
//   - Other files than those of probes: strict.go, of the same strictness.
package schema

//go:generate go run sonde/cmd/gendocs

import (
	"crypto/sha256"
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

// Parse is World.Parse in the world of this process.
func Parse(name string, data []byte, kinds []probe.Kind) (*Set, error) {
	return System().Parse(name, data, kinds)
}

// loader gathers what the files of one set declare.
type loader struct {
	kinds    map[string]probe.Kind
	names    map[string]pos // where each name was declared first
	budgets  map[string]hostBudget
	bounds   map[string]hostBound
	loads    map[string]*hostLoad
	queues   map[string]*hostQueue
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
	named       []namedFile                  // of these, by every block that names one
	outside     int                          // how often something beside the files' own text, and those, was asked for
	memory      memory
	allProfiles []placedProfile
}

func newLoader(w World, kinds []probe.Kind) *loader {
	l := &loader{
		kinds:   make(map[string]probe.Kind, len(kinds)),
		names:   map[string]pos{},
		budgets: map[string]hostBudget{},
		bounds:  map[string]hostBound{},
		set:     Set{Reach: Reach{Sums: map[string][sha256.Size]byte{}}},
		world:   w, docs: map[string]*document{}, targetFiles: map[string]targetGroups{}, filled: map[string]filledFile{},
		contentSums: map[string][sha256.Size]byte{}, known: map[string]bool{},
		loads: map[string]*hostLoad{}, queues: map[string]*hostQueue{},
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
	l.adviseQueues()
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
