package schema

import (
	"maps"
	"slices"
	"sync/atomic"

	"gopkg.in/yaml.v3"

	"sonde/probe"
)

// Where of a set only the probes are wanted (Memory.Lean), the pieces of a great file are not only parsed
// but also read on all cores, each as if nothing but the frame of the file stood around it. What a piece
// came to is then recalled in the order of the text, just as if it were remembered, and its tree is let go
// at once. A piece of which anything is to be said, or that depends on more than the file's text, is read
// again in its turn; and where a piece cannot be read by itself, the whole set is read anew without this.

// mostInVain is how many pieces of a file may come to nothing before the others are only parsed ahead.
const mostInVain = 8

// readAhead reads the pieces of a file that are not known, and puts what has yet to be walked into the
// list. It is false when the text must be read as a whole.
func (d *document) readAhead(list place) bool {
	var vain, values atomic.Int64
	if d.memory.learnt[d.name] == nil {
		vain.Store(mostInVain)
	}
	fine := d.cut.onAllCores(func() func(*piece) bool {
		r := d.apart()
		return func(p *piece) (fine bool) {
			defer func() {
				if recover() != nil {
					fine = false // who reads the text as a whole will hit it again, and tell of it
				}
			}()
			if !p.parse() || !r.sound(p, &values) {
				return false
			}
			if p.known == nil && vain.Load() < mostInVain && !r.read(p, list) {
				vain.Add(1)
			}
			return true
		}
	})
	if !fine {
		d.cut.dropAhead()
		return false
	}
	return d.cut.fill(list.node)
}

// dropAhead closes what the probers of what was read ahead hold.
func (c *cutFile) dropAhead() {
	for _, p := range c.pieces {
		if p.ahead {
			for _, one := range p.known.probes {
				closeAll([]*probe.Probe{one.Probe})
			}
		}
	}
}

// apart is the file in the hands of somebody who reads pieces of it beside others: what reading changes is
// his own.
func (d *document) apart() *document {
	own := *d
	own.loader = newLoader(d.world, slices.Collect(maps.Values(d.kinds)))
	own.bases, own.profiles = nil, profiles{}
	for _, p := range d.profiles.list {
		one := *p
		own.profiles.add(&one)
	}
	own.walk.begin(own.kindNames(), func(kind string) probe.Settings { return own.kinds[kind].New() })
	return &own
}

// sound scans a piece, and is false when something is wrong with its tree, or all together are too many
// values: of what the text as a whole may be.
func (d *document) sound(p *piece, values *atomic.Int64) bool {
	before := d.problems.added
	s := scanner{doc: d, anchored: map[*yaml.Node]extent{}}
	e := s.extent(place{node: &yaml.Node{Kind: yaml.SequenceNode, Content: p.nodes}, doc: d})
	return d.problems.added == before && e.depth < maxDepth && values.Add(int64(e.count)) < maxExpanded/2
}

// read reads a piece, whose tree is let go when all that came of it is probes. Else, and also when a kind panics, what
// its probers hold is closed.
func (d *document) read(p *piece, list place) bool {
	defer func() {
		if !p.ahead {
			closeAll(d.set.Probes)
		}
		d.set.Probes, d.set.definitions, d.named = nil, nil, nil
		clear(d.names)
		clear(d.budgets)
		clear(d.bounds)
		clear(d.loads)
		clear(d.queues)
	}()
	outside, added, spent := d.outside, d.problems.added, d.spent
	list.node, list.doc = &yaml.Node{Kind: yaml.SequenceNode, Content: p.nodes}, d
	d.elements(list, 0, len(p.nodes), p.first)
	if d.outside > outside || d.problems.added > added || len(d.set.definitions) != len(d.set.Probes) {
		return false
	}
	p.known, p.ahead = d.cameTo(p, d.set.definitions, d.set.Probes, d.named, d.spent-spent), true
	p.nodes = nil
	return true
}
