package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// table is what is printed: rows of texts under a head.
type table struct {
	title string
	head  []string
	rows  [][]string
	notes []string
}

// plain writes the table with columns of even width, the first to the left, the others to the right.
func (t *table) plain(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n\n", t.title)
	widths := t.widths(func(text string) string { return text })
	for _, row := range append([][]string{t.head}, t.rows...) {
		var line strings.Builder
		for i, width := range widths {
			line.WriteString(padded(at(row, i), width, i > 0))
			line.WriteString("  ")
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
	for _, note := range t.notes {
		fmt.Fprintf(w, "* %s\n", note)
	}
}

// markdown writes the table as GitHub reads it.
func (t *table) markdown(w io.Writer) {
	fmt.Fprintf(w, "\n### %s\n\n", t.title)
	widths := t.widths(escaped)
	line := func(row []string) {
		for i, width := range widths {
			fmt.Fprintf(w, "| %s ", padded(escaped(at(row, i)), width, i > 0))
		}
		fmt.Fprintln(w, "|")
	}
	line(t.head)
	for i, width := range widths {
		rule := strings.Repeat("-", max(3, width))
		if i > 0 {
			rule = rule[1:] + ":"
		}
		fmt.Fprintf(w, "| %s ", rule)
	}
	fmt.Fprintln(w, "|")
	for _, row := range t.rows {
		line(row)
	}
	for i, note := range t.notes {
		fmt.Fprintf(w, "%s- %s\n", map[bool]string{true: "\n"}[i == 0], note)
	}
}

// widths is how wide the columns are when each cell is written in a way.
func (t *table) widths(written func(string) string) []int {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(written(at(row, i))), 3)
		}
	}
	return widths
}

// at is a cell of a row that may be short.
func at(row []string, i int) string {
	if i >= len(row) || row[i] == "" {
		return "–"
	}
	return row[i]
}

func escaped(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func padded(text string, width int, right bool) string {
	blanks := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if right {
		return blanks + text
	}
	return text + blanks
}
