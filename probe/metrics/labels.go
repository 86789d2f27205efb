package metrics

import (
	"slices"
	"strings"

	"github.com/prometheus/common/model"

	"sonde/probe"
)

// labelProbe bears the probe's name.
const labelProbe = "probe"

// userLabels calls f for each label that the file gives a probe. A file with a name that cannot stand
// here is refused before; should one come all the same, its label is left out, not the scrape, and of
// one name the first label stands.
func userLabels(p *probe.Probe, f func(probe.Label)) {
	for i, l := range p.Labels {
		if isLegal(l.Name) && !slices.ContainsFunc(p.Labels[:i], func(o probe.Label) bool { return o.Name == l.Name }) {
			f(l)
		}
	}
}

// isLegal is true of a name that a label of the user's may have beside the label probe and bounds.
func isLegal(name string) bool {
	return name != labelProbe && name != model.BucketLabel && !strings.HasPrefix(name, model.ReservedLabelPrefix) &&
		model.LegacyValidation.IsValidLabelName(name)
}

// ownNames are the names of labels that some family has of its own.
var ownNames = func() map[string]bool {
	names := map[string]bool{}
	for _, f := range families {
		for _, label := range f.Labels {
			names[label] = true
		}
	}
	return names
}()

// block is the labels of a probe's series, but for the families' own, as they stand in a line.
type block struct {
	text []byte // of all of them: probe="shop-home",team="web"
	name int    // where the label probe ends in it
	// clashes is true when a label of the user's has the name of one of some family's own.
	clashes bool
}

// blockOf appends the text of a probe's block to some bytes, which it shares from then on.
func blockOf(p *probe.Probe, to []byte) (b block, bytes []byte) {
	from := len(to)
	to = append(to, labelProbe+`="`...)
	to = append(quoted(to, p.Name), '"')
	b.name = len(to) - from
	userLabels(p, func(l probe.Label) {
		to = labelled(to, l)
		b.clashes = b.clashes || ownNames[l.Name]
	})
	b.text = to[from:len(to):len(to)]
	return b, to
}

// labelled appends a label after others.
func labelled(to []byte, l probe.Label) []byte {
	to = append(to, ',')
	to = append(to, l.Name...)
	to = append(to, `="`...)
	return append(quoted(to, l.Value), '"')
}
