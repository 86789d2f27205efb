package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// This file takes files of targets as other programs write them, who know neither our labels nor our names.

// exportedLabel is a label of a file of targets that the metrics have already, and the name under which it is
// borne.
type exportedLabel struct{ name, as string }

// export is the key under which a label is borne whose name the metrics have already: exported_ before it, as
// Prometheus does with a scraped label that it has itself, and once more where that is taken.
func (t *target) export(labels place, e entry) *yaml.Node {
	as := "exported_" + e.name
	for labels.get(as).exists() {
		as = "exported_" + as
	}
	t.exported = append(t.exported, exportedLabel{e.name, as})
	key := *e.key.node
	key.Value = as
	return &key
}

// adviseExported warns of labels that are borne under another name than a file of targets gives them. Whoever
// names one in a value of the probe knows it.
func (d *definition) adviseExported() {
	if d.target == nil || !d.fine {
		return
	}
	var list []string
	for _, l := range d.target.exported {
		if !d.filled.named[l.name] && !d.filled.named["labels."+l.name] {
			list = append(list, fmt.Sprintf("%s (as %s)", l.name, l.as))
		}
	}
	if len(list) > 0 {
		d.problems.warn(d.at.find("targets_from"), false, RuleExported,
			"leads to targets with labels that the metrics have already, and that are borne under other names: "+strings.Join(list, ", "))
	}
}

// once leaves out targets of files that are there already with the same value and the same labels:
// Prometheus scrapes such a target once.
func once(list []*target) []*target {
	first := make(map[string]*target, len(list))
	return slices.DeleteFunc(list, func(t *target) bool {
		other := first[t.name]
		if other == nil {
			first[t.name] = t
		}
		return other != nil && maps.EqualFunc(t.fields, other.fields, func(a, b fieldValue) bool { return a.text == b.text })
	})
}
