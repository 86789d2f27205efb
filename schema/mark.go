package schema

import "hash/maphash"

// markSeed is drawn anew in each process, so that a mark says nothing of what it was made of.
var markSeed = maphash.MakeSeed()

// mark is the Mark of a scalar that is not shown whole.
func (v viewer) mark(at place) uint64 { return max(1, maphash.String(markSeed, v.raw(at))) }

// raw is a scalar as it stands in the file, and after it the fields of the target that it names.
func (v viewer) raw(at place) string {
	raw := at.node.Value
	if v.target == nil || at.doc.verbatim {
		return raw
	}
	list, _ := parts(raw) // what was loaded is written as it should be
	for _, p := range list {
		if p.kind == targetPart {
			raw += "\x00" + v.target.fields[p.text].at.node.Value
		}
	}
	return raw
}
