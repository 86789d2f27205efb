package main

// The types of this file are what diff --output json prints. The names of their fields are a promise,
// and all fields are always there.

type diffJSON struct {
	Same      bool          `json:"same"`
	Added     []sideJSON    `json:"added"`
	Removed   []sideJSON    `json:"removed"`
	Renamed   []renamedJSON `json:"renamed"`
	Changed   []changedJSON `json:"changed"`
	Unchanged int           `json:"unchanged"`
	Hosts     []hostSides   `json:"hosts"`
	Total     totalSides    `json:"total"`
}

// sideJSON is a probe of one set; its plan is null when it is disabled.
type sideJSON struct {
	Probe  string       `json:"probe"`
	Source string       `json:"source"`
	Plan   *plannedJSON `json:"plan"`
}

type renamedJSON struct {
	Old sideJSON `json:"old"`
	New sideJSON `json:"new"`
}

type changedJSON struct {
	Probe  string      `json:"probe"`
	Values []valueJSON `json:"values"`
	Old    sideJSON    `json:"old"`
	New    sideJSON    `json:"new"`
}

// valueJSON is a value as YAML; null where it is not set. Secret is true when it differs by what is masked.
type valueJSON struct {
	Path   string  `json:"path"`
	Old    *string `json:"old"`
	New    *string `json:"new"`
	Secret bool    `json:"secret"`
}

type hostSides struct {
	Host string       `json:"host"`
	Old  requestsJSON `json:"old"`
	New  requestsJSON `json:"new"`
}

type totalSides struct {
	Old totalJSON `json:"old"`
	New totalJSON `json:"new"`
}

func diffToJSON(c *comparison) diffJSON {
	j := diffJSON{
		Same: c.same(), Added: sidesToJSON(c.added), Removed: sidesToJSON(c.removed), Unchanged: c.unchanged,
		Renamed: make([]renamedJSON, len(c.renamed)), Changed: make([]changedJSON, len(c.changed)),
		Hosts: []hostSides{}, Total: totalSides{totalToJSON(c.old), totalToJSON(c.new)},
	}
	for i := range c.renamed {
		j.Renamed[i] = renamedJSON{sideToJSON(&c.renamed[i].old), sideToJSON(&c.renamed[i].new)}
	}
	for i := range c.changed {
		j.Changed[i] = changedToJSON(&c.changed[i])
	}
	for _, h := range c.hosts() {
		j.Hosts = append(j.Hosts, hostSides{h.name, requestsJSON(h.old), requestsJSON(h.new)})
	}
	return j
}

func sidesToJSON(list []side) []sideJSON {
	all := make([]sideJSON, len(list))
	for i := range list {
		all[i] = sideToJSON(&list[i])
	}
	return all
}

func sideToJSON(s *side) sideJSON {
	j := sideJSON{Probe: s.Name, Source: s.Source}
	if s.plan != nil {
		p := plannedToJSON(s.plan)
		j.Plan = &p
	}
	return j
}

func changedToJSON(p *pair) changedJSON {
	j := changedJSON{
		Probe: p.new.Name, Old: sideToJSON(&p.old), New: sideToJSON(&p.new), Values: make([]valueJSON, len(p.values)),
	}
	for i := range p.values {
		v := &p.values[i]
		j.Values[i] = valueJSON{Path: v.path, Old: textOf(v.old), New: textOf(v.new), Secret: v.secret()}
	}
	return j
}

func textOf(l *leaf) *string {
	if l == nil {
		return nil
	}
	return &l.text
}
