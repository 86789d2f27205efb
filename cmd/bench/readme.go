package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// marked is a place for tables in a page: between two marks, of which the first says which tables.
var marked = regexp.MustCompile("(?s)(<!-- bench (all|stated): [^\n]* -->\n)(.*?)(<!-- /bench -->)")

// tell puts the tables into the pages, if that was asked for. It writes none when one has no place for them.
func (b *bench) tell() error {
	renewed := make([]string, len(b.pages))
	for i, page := range b.pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		if renewed[i], err = b.renew(string(text)); err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
	}
	for i, page := range b.pages {
		if err := os.WriteFile(page, []byte(renewed[i]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// renew is the text of a page with the tables as they are now.
func (b *bench) renew(page string) (string, error) {
	if !marked.MatchString(page) {
		return "", fmt.Errorf("has no place for the tables, want `<!-- bench all: … -->` or `<!-- bench stated: … -->`, and after it `<!-- /bench -->`")
	}
	return marked.ReplaceAllStringFunc(page, func(place string) string {
		m := marked.FindStringSubmatch(place)
		var now strings.Builder
		fmt.Fprintln(&now, b.machine)
		if m[2] == "all" {
			b.summary.table().markdown(&now)
		}
		figuresTable(b.figures).markdown(&now)
		return m[1] + now.String() + m[4]
	}), nil
}
