package schema

import (
	"crypto/sha256"
	"slices"
	"time"

	"sonde/probe"
	"sonde/probe/retry"
)

// Memory is what the pieces of great files came to, for whoever reads the same files again and again: a
// piece that has not changed, in a file whose other parts have not, comes to the same probes, and is not
// read again. The zero value remembers nothing. It is for one goroutine at a time, and for one list of
// kinds. Sets that were read with one have no Effective.
//
// Only what depends on nothing but the file's text, and on the contents of files that blocks of kinds name, is
// remembered, and only of files in which nothing was wrong. When something is wrong now, or a warning would stand
// where nothing was read, all is read anew, so that every problem is told with its place.
type Memory struct {
	// Lean says that of the sets only the probes, the warnings and the reach are wanted, as by who runs them:
	// Declared, Names and Disabled then lack probes. Great files are read on all cores for it, so that New of
	// the kinds, and the methods of several Settings, are called by several goroutines at a time.
	Lean bool

	files map[string]*rememberedFile // by their name
}

// rememberedFile is a file as it was read last.
type rememberedFile struct {
	frame  [sha256.Size]byte // of what is not in the list
	pieces map[[sha256.Size]byte]*recalled
}

// recalled is what a piece came to.
type recalled struct {
	probes []knownProbe
	uses   []string // the profiles that its probes name
	spent  int      // of loader.spent
	named  []namedFile
}

// knownProbe is a probe of a set that was read before.
type knownProbe struct {
	*probe.Probe
	rate    probe.Rate // while it still has its prober
	perHost count
	held    time.Duration // of connections of its host, where it bounds them, by a run at its worst
	element int           // of the piece, that declares it
}

// Check reads files as World.Check does, what has not changed from memory. The set must become the
// running one: its probes may be those of the set before. The world must be the same each time.
func (m *Memory) Check(w World, paths []string, kinds []probe.Kind) (*Checked, error) {
	c, l, err := m.check(w, paths, kinds, memory{known: m.files, ahead: m.Lean})
	if err == nil && l.doubtful() {
		l.drop()
		c, l, err = m.check(w, paths, kinds, memory{})
	}
	if err == nil && c.Set != nil {
		m.files = l.memory.now(m.files)
	}
	return c, err
}

func (m *Memory) check(w World, paths []string, kinds []probe.Kind, have memory) (*Checked, *loader, error) {
	l := newLoader(w, kinds)
	l.memory = have
	l.memory.on, l.memory.learnt = true, map[string]*rememberedFile{}
	if err := l.read(paths); err != nil {
		return nil, nil, err
	}
	return l.checked(), l, nil
}

// memory is a loader's part of a Memory.
type memory struct {
	on       bool
	ahead    bool // pieces are read on all cores
	known    map[string]*rememberedFile
	learnt   map[string]*rememberedFile
	recalled map[*probe.Probe]bool
	partial  bool // not all was read
	doubtful bool // what was recalled may not hold
}

// doubtful is true when something is wrong with a set of which not all was read.
func (l *loader) doubtful() bool {
	return l.memory.partial && (l.memory.doubtful || l.problems.problems.kept > 0)
}

// now is what is to be remembered. A probe that was read again and is the same stays the one that it was
// before: that one runs.
func (m *memory) now(before map[string]*rememberedFile) map[string]*rememberedFile {
	was := map[string]*probe.Probe{}
	for _, f := range before {
		for _, r := range f.pieces {
			for _, p := range r.probes {
				was[p.Name] = p.Probe
			}
		}
	}
	for _, f := range m.learnt {
		for _, r := range f.pieces {
			for i, p := range r.probes {
				if old := was[p.Name]; old != nil && old.Digest == p.Digest {
					r.probes[i].Probe = old
				}
			}
		}
	}
	return m.learnt
}

// recognize finds the pieces of a file that are remembered.
func (d *document) recognize(c *cutFile) {
	frame := c.frame()
	d.memory.learnt[d.name] = &rememberedFile{frame: frame, pieces: map[[sha256.Size]byte]*recalled{}}
	known := d.memory.known[d.name]
	for _, p := range c.pieces {
		p.sum = sha256.Sum256(p.text)
		if known != nil && known.frame == frame {
			p.known = d.recallable(known.pieces[p.sum])
		}
	}
}

// recallable is what a piece came to, nil when a file that its blocks name has changed.
func (d *document) recallable(r *recalled) *recalled {
	if r == nil || !d.hold(r.named) {
		return nil
	}
	return r
}

// forget is for a file that depends on others.
func (d *document) forget() {
	delete(d.memory.learnt, d.name)
	for _, p := range d.cut.pieces {
		d.memory.doubtful = d.memory.doubtful || p.known != nil
	}
}

// distinct is the list without what stands in it twice.
func distinct(files []namedFile) []namedFile {
	var once []namedFile
	for _, f := range files {
		if !slices.Contains(once, f) {
			once = append(once, f)
		}
	}
	return once
}

// remember keeps what a piece came to: the definitions of the set from one on, its probes, and the files that
// their blocks name.
func (d *document) remember(p *piece, definitions, probes, named, spent int) {
	file := d.memory.learnt[d.name]
	defined, made := d.set.definitions[definitions:], d.set.Probes[probes:]
	if file == nil || len(defined) != len(made) {
		return // a probe that is disabled is no part of the set, but its name is taken
	}
	file.pieces[p.sum] = d.cameTo(p, defined, made, d.named[named:], spent)
}

// cameTo is what a piece came to, whose definitions have made a probe each, and name files.
func (d *document) cameTo(p *piece, defined []*definition, made []*probe.Probe, named []namedFile, spent int) *recalled {
	r := &recalled{spent: spent, probes: make([]knownProbe, len(made)), named: distinct(named)}
	for i, one := range made {
		r.probes[i] = knownProbe{one, one.Rate(), defined[i].common.Connection.PerHost, defined[i].held(one), defined[i].declaration.at.path.index - p.first}
		for _, p := range defined[i].used {
			if !slices.Contains(r.uses, p.name) {
				r.uses = append(r.uses, p.name)
			}
		}
	}
	return r
}

// recall puts the probes of a piece into the set, as if it had been read.
func (d *document) recall(p *piece) {
	d.spent += p.known.spent
	for _, f := range p.known.named {
		if d.contentOf(f.name) != f.sum { // the kind may have read it before us, ahead
			d.memory.doubtful = true
		}
	}
	for _, name := range p.known.uses {
		d.profiles.get(name).used = true // it is there: the file's frame has not changed
	}
	for _, one := range p.known.probes {
		b := budgetOf(one.Policy.Budget)
		if _, taken := d.names[one.Name]; taken || !d.sameBudget(one.Host, b) || !d.sameBound(one.Host, one.perHost) || d.spent > maxSpent {
			d.memory.doubtful = true
		}
		d.names[one.Name] = pos{}
		if most := d.loadOf(one.Probe, one.rate); most != nil {
			most.at, most.host = place{doc: d}, one.Secrets.Text(one.Host)
			most.piece, most.element = p, one.element
		}
		if one.perHost > 0 && one.Host != "" {
			d.queueFor(one.Probe, one.perHost, one.held)
		}
		d.set.Probes = append(d.set.Probes, one.Probe)
		if !p.ahead {
			d.memory.isOld(one.Probe)
		}
	}
	if file := d.memory.learnt[d.name]; file != nil {
		file.pieces[p.sum] = p.known
	}
}

// isOld notes a probe of the set before.
func (m *memory) isOld(p *probe.Probe) {
	if m.recalled == nil {
		m.recalled = map[*probe.Probe]bool{}
	}
	m.recalled[p] = true
}

// budgetOf is a retry budget as a file has it.
func budgetOf(b retry.Budget) budget {
	return budget{Ratio: b.Ratio, FloorPerSecond: b.FloorPerSecond, Burst: b.Burst, set: b != retry.Budget{}}
}

// sameBudget notes the budget of a host, and says whether it is what the host's other probes have.
func (l *loader) sameBudget(host string, b budget) bool {
	first, ok := l.budgets[host]
	if !ok && host != "" {
		l.budgets[host] = hostBudget{budget: b}
	}
	return !ok || first.budget == b
}

// drop closes what the probers of a set hold that will not run, but not those of probes that do.
func (l *loader) drop() {
	for _, p := range l.set.Probes {
		if !l.memory.recalled[p] {
			closeAll([]*probe.Probe{p})
		}
	}
}
