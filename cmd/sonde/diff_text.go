package main

import (
	"fmt"
	"io"
	"strings"
)

// writeDiff prints a comparison for a person: + added, - removed, > renamed, ~ changed.
func writeDiff(w io.Writer, c *comparison, width int) error {
	var b strings.Builder
	for i := range c.added {
		sideLine(&b, "+", &c.added[i])
	}
	for i := range c.removed {
		sideLine(&b, "-", &c.removed[i])
	}
	for _, p := range c.renamed {
		fmt.Fprintf(&b, "> %s is now %s (%s)\n", clean(p.old.Name), clean(p.new.Name), clean(p.new.Source))
	}
	for i := range c.changed {
		changedLines(&b, &c.changed[i])
	}
	if !c.same() {
		b.WriteString("\n")
		totalLines(&b, c, width)
	}
	b.WriteString(c.counts() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func sideLine(b *strings.Builder, sign string, s *side) {
	fmt.Fprintf(b, "%s %s  %s (%s)\n", sign, clean(s.Name), s.what(), clean(s.Source))
	if p := s.plan; p != nil {
		fmt.Fprintf(b, "    every %s: %s, at worst %s; longest run %s; %d series\n",
			s.every(), requests(p.Requests.Well), rate(p.Requests.Worst), longest(p), p.Series.Steady)
	}
}

func changedLines(b *strings.Builder, p *pair) {
	fmt.Fprintf(b, "~ %s (%s)\n", clean(p.new.Name), clean(p.new.Source))
	for i := range p.values {
		v := &p.values[i]
		fmt.Fprintf(b, "    %s: %s → %s", clean(v.path), shownValue(v.old), shownValue(v.new))
		if remark := v.remark(); remark != "" {
			fmt.Fprintf(b, " (%s)", remark)
		}
		b.WriteString("\n")
	}
	var moved []string
	for _, q := range p.quantities() {
		if q.moved() {
			moved = append(moved, fmt.Sprintf("%s %s → %s", q.name, q.old, q.new))
		}
	}
	if len(moved) > 0 {
		fmt.Fprintf(b, "    = %s\n", strings.Join(moved, "; "))
	}
}

// totalLines are what the sets come to, and the hosts whose load differs.
func totalLines(b *strings.Builder, c *comparison, width int) {
	all := grid{width: width, head: []string{"IN ALL", "OLD", "NEW", "CHANGE"}}
	for _, q := range c.totals() {
		all.add(q.name, q.old, q.new, q.change)
	}
	all.print(b)
	b.WriteString("\n")
	hosts := c.hosts()
	if len(hosts) == 0 {
		return
	}
	table := grid{width: width, head: []string{"HOST", "REQ/MIN", "WAS", "AT WORST", "WAS"}}
	for _, h := range hosts {
		table.add(clean(h.name), h.well().new, h.well().old, h.worst().new, h.worst().old)
	}
	table.print(b)
	b.WriteString("\n")
}
