package script

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Texts are one text or a list of them.
type Texts []string

// OneOrMany lets one text stand for the list.
func (Texts) OneOrMany() {}

// Span is a duration of 0 or more.
type Span time.Duration

// long are the units that Go does not know.
var long = regexp.MustCompile(`([0-9]+(?:\.[0-9]+)?)([dw])`)

// wholeSpan is a duration in Go's units, however long.
var wholeSpan = regexp.MustCompile(`^[+]?(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`)

// maxSpan keeps every sum of spans within what a duration can hold.
const maxSpan = 10 * 366 * 24 * time.Hour

// UnmarshalText reads a duration with its unit, d and w included.
func (s *Span) UnmarshalText(text []byte) error {
	inHours := long.ReplaceAllStringFunc(string(text), func(term string) string {
		hours := 24.0
		if strings.HasSuffix(term, "w") {
			hours *= 7
		}
		n, _ := strconv.ParseFloat(term[:len(term)-1], 64)
		return strconv.FormatFloat(n*hours, 'f', -1, 64) + "h"
	})
	d, err := time.ParseDuration(inHours)
	switch {
	case err != nil && wholeSpan.MatchString(inHours), d > maxSpan:
		return fmt.Errorf("want a duration of less than ten years")
	case err != nil || string(text) == "0":
		return fmt.Errorf("want a duration with a unit, such as 0s, 500ms, 30s, 1m30s or 1d")
	case d < 0:
		return fmt.Errorf("want a duration of 0s or more")
	}
	*s = Span(d)
	return nil
}

// JSONSchema is a text that begins as a duration does.
func (Span) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": `^\+?[0-9.]+(ns|us|µs|ms|s|m|h|d|w)`}
}

// String is the duration as Go has it.
func (s Span) String() string { return time.Duration(s).String() }

// UnmarshalText reads the time until the first byte of the response.
func (d *Delays) UnmarshalText(text []byte) error { return d.Header.UnmarshalText(text) }

// Pieces are a text or a list of pieces.
type Pieces []Piece

// OneOrMany lets one piece stand for the list.
func (Pieces) OneOrMany() {}

// UnmarshalText is a piece that comes at once.
func (p *Piece) UnmarshalText(text []byte) error {
	p.Text = string(text)
	return nil
}
