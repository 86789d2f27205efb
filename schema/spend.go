package schema

import "fmt"

const (
	// maxSpent bounds what profiles and targets make of a set of files, in values that are read.
	maxSpent = 10_000_000
	// probeCost is what a probe costs beside its values.
	probeCost = 50
)

// affordable is true while what profiles and targets make of the files is not beyond all measure.
func (d *declaration) affordable() bool {
	if len(d.targets) == 0 && len(d.used) == 0 {
		return true
	}
	cost, before := probeCost, d.spent
	for _, p := range d.used {
		cost += p.values
	}
	if len(d.targets) > 0 {
		cost += countOf(d.at.node)
		if list := d.at.find("targets"); list.exists() {
			cost -= countOf(list.node)
		}
		cost *= len(d.targets)
	}
	d.spent += cost
	if before <= maxSpent && d.spent > maxSpent {
		d.walk.problem(d.at, RuleAliases, fmt.Sprintf("makes that profiles and targets amount to more than %d values, want less", maxSpent))
	}
	return d.spent <= maxSpent
}
