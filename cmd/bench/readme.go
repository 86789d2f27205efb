package main

import (
	"fmt"
	"os"
	"strings"
)

// The marks in a README between which its tables stand.
const (
	readmeBegin = "<!-- bench: `go run ./cmd/bench --readme README.md` renews this -->\n"
	readmeEnd   = "<!-- /bench -->"
)

// tell puts the tables into the README, if that was asked for.
func (b *bench) tell() error {
	if b.readme == "" {
		return nil
	}
	text, err := os.ReadFile(b.readme)
	if err != nil {
		return err
	}
	renewed, err := b.renew(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", b.readme, err)
	}
	return os.WriteFile(b.readme, []byte(renewed), 0o644)
}

// renew is the text of a README with the tables as they are now.
func (b *bench) renew(readme string) (string, error) {
	before, rest, begins := strings.Cut(readme, readmeBegin)
	_, after, ends := strings.Cut(rest, readmeEnd)
	if !begins || !ends {
		return "", fmt.Errorf("has no place for the tables, want %q and after it %q", strings.TrimSpace(readmeBegin), readmeEnd)
	}
	var now strings.Builder
	fmt.Fprintln(&now, b.machine)
	b.summary.table().markdown(&now)
	figuresTable(b.figures).markdown(&now)
	return before + readmeBegin + now.String() + readmeEnd + after, nil
}
