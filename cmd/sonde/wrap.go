package main

import (
	"strings"
	"unicode/utf8"
)

// wrap breaks a text between words into at most most lines of at most width columns; a word that is
// longer is broken, and what is left over becomes an ellipsis.
func wrap(text string, width, most int) []string {
	var lines []string
	line := ""
	for _, word := range words(text, width) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	if len(lines) <= most {
		return lines
	}
	last := []rune(lines[most-1])
	lines[most-1] = string(last[:min(len(last), width-2)]) + " …"
	return lines[:most]
}

// words are the words of a text, none longer than width.
func words(text string, width int) []string {
	var all []string
	for _, word := range strings.Fields(text) {
		runes := []rune(word)
		for len(runes) > width {
			all, runes = append(all, string(runes[:width])), runes[width:]
		}
		all = append(all, string(runes))
	}
	return all
}
