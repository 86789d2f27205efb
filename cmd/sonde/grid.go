package main

import (
	"strings"
	"unicode/utf8"
)

// grid prints rows in columns: the first to the left, the others to the right, but for one without a
// head, which is a remark. A first cell that leaves the others no room stands alone on its line, for a
// name that is cut cannot be copied.
type grid struct {
	width int
	head  []string
	rows  [][]string
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

func (g *grid) print(b *strings.Builder) {
	widths := g.widths()
	for _, row := range append([][]string{g.head}, g.rows...) {
		if utf8.RuneCountInString(row[0]) > widths[0] {
			b.WriteString(row[0] + "\n")
			row = append([]string{""}, row[1:]...)
		}
		line := pad(row[0], widths[0])
		for i, cell := range row[1:] {
			if g.head[i+1] == "" {
				line += "  " + cell
				continue
			}
			line += "  " + strings.Repeat(" ", max(0, widths[i+1]-utf8.RuneCountInString(cell))) + cell
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// widths are those of the columns; the first gets what the others leave, but no more than it needs.
func (g *grid) widths() []int {
	widths := make([]int, len(g.head))
	for _, row := range append([][]string{g.head}, g.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	room := g.width
	for _, w := range widths[1:] {
		room -= w + 2
	}
	widths[0] = min(widths[0], max(len(g.head[0]), room))
	return widths
}
