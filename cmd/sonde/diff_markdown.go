package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// GitHub takes comments of 65,536 characters; what does not fit is counted instead of shown.
const markdownRoom = 60_000

// writeMarkdown prints a comparison as GitHub shows it best: a comment on a pull request.
func writeMarkdown(w io.Writer, c *comparison) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### sonde: %s\n\n", c.counts())
	if !c.same() {
		totalTable(&b, c)
		m := &markdown{text: &b}
		m.sides("Added", c.added)
		m.sides("Removed", c.removed)
		m.renamed(c.renamed)
		m.changed(c.changed)
		m.hosts(c.hosts())
		if m.left > 0 {
			fmt.Fprintf(&b, "\n%s left out, for GitHub bounds the length of a comment. `sonde diff` shows all.\n", count(m.left, "row"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func totalTable(b *strings.Builder, c *comparison) {
	b.WriteString("| | old | new | change |\n| --- | ---: | ---: | ---: |\n")
	for _, q := range c.totals() {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", q.name, q.old, q.new, q.change)
	}
}

// markdown writes tables as long as there is room.
type markdown struct {
	text *strings.Builder
	left int // rows that had no room
}

// table begins a table under a heading, and returns what adds a row.
func (m *markdown) table(title string, rows int, head, rule string) (row func(cells ...string)) {
	if rows > 0 && m.text.Len() < markdownRoom {
		fmt.Fprintf(m.text, "\n#### %s\n\n%s\n%s\n", title, head, rule)
	}
	return func(cells ...string) {
		line := "| " + strings.Join(cells, " | ") + " |\n"
		if m.left > 0 || m.text.Len()+len(line) > markdownRoom {
			m.left++
			return
		}
		m.text.WriteString(line)
	}
}

func (m *markdown) sides(title string, list []side) {
	row := m.table(title, len(list), "| probe | what | requests a minute | at worst | longest run | series |", "| --- | --- | ---: | ---: | ---: | ---: |")
	for i := range list {
		s := &list[i]
		if p := s.plan; p != nil {
			row(code(s.Name), code(s.what()), rate(p.Requests.Well), rate(p.Requests.Worst), longest(p), fmt.Sprint(p.Series.Steady))
		} else {
			row(code(s.Name), code(s.what()), "0", "0", "", "0")
		}
	}
}

func (m *markdown) renamed(list []pair) {
	row := m.table("Renamed", len(list), "| was | is now |", "| --- | --- |")
	for _, p := range list {
		row(code(p.old.Name), code(p.new.Name))
	}
}

func (m *markdown) changed(list []pair) {
	row := m.table("Changed", len(list), "| probe | value | old | new |", "| --- | --- | --- | --- |")
	for i := range list {
		p := &list[i]
		name := code(p.new.Name)
		for j := range p.values {
			v := &p.values[j]
			after := codeValue(v.new)
			if remark := v.remark(); remark != "" {
				after += " (" + remark + ")"
			}
			row(name, code(v.path), codeValue(v.old), after)
			name = ""
		}
		for _, q := range p.quantities() {
			if q.moved() {
				row(name, "*"+q.name+"*", q.old, q.new)
			}
		}
	}
}

func (m *markdown) hosts(list []hostChange) {
	row := m.table("Hosts", len(list), "| host | requests a minute | was | at worst | was |", "| --- | ---: | ---: | ---: | ---: |")
	for _, h := range list {
		row(code(h.name), h.well().new, h.well().old, h.worst().new, h.worst().old)
	}
}

// codeValue is a value as code; that there is none is no code.
func codeValue(l *leaf) string {
	if l == nil {
		return "*not set*"
	}
	return code(shownValue(l))
}

// code is text that Markdown shows as it is, also in a cell of a table: whatever Markdown, HTML or GitHub
// would take for something else is a character reference, which ends no cell, makes no link and mentions
// nobody. Everything else stays, so that who reads the text itself can read it.
func code(s string) string {
	var b strings.Builder
	b.WriteString("<code>")
	text := []rune(clean(s))
	for i, r := range text {
		if isMarkup(text, i) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteString("</code>")
	return b.String()
}

// isMarkup reports whether the i-th character of a text within code tags means something to GitHub's
// Markdown, which looks for markup, links and mathematics there, too. Some do beside others only: what ends
// the scheme of a URL, or www; a parenthesis after a bracket; an underscore at the edge of a word.
func isMarkup(text []rune, i int) bool {
	at := func(j int) rune {
		if j < 0 || j >= len(text) {
			return ' '
		}
		return text[j]
	}
	switch text[i] {
	case '&', '<', '>', '|', '`', '*', '\\', '~', '$', '@', '#':
		return true
	case ':':
		return at(i+1) == '/'
	case '.':
		return i >= 3 && strings.EqualFold(string(text[i-3:i]), "www")
	case '(':
		return at(i-1) == ']'
	case '_':
		return !isWord(at(i-1)) || !isWord(at(i+1))
	}
	return false
}

// isWord is true of what a word is made of.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
