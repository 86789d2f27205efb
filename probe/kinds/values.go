package kinds

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Texts are one text or a list of them.
type Texts []string

// OneOrMany lets one text stand for the list.
func (Texts) OneOrMany() {}

// Regexp is a regular expression in RE2 syntax.
type Regexp string

// UnmarshalText takes an expression that compiles. NUL is to be written as \x00, so that it can be seen.
func (r *Regexp) UnmarshalText(b []byte) error {
	if bytes.IndexByte(b, 0) >= 0 {
		return errors.New("want a regular expression (RE2)")
	}
	if _, err := regexp.Compile(string(b)); err != nil {
		return fmt.Errorf("want a regular expression (RE2): %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	*r = Regexp(b)
	return nil
}

// MarshalText is the expression.
func (r Regexp) MarshalText() ([]byte, error) { return []byte(r), nil }

// lineFlag lets ^ and $ match at the beginning and end of every line.
const lineFlag = "(?m)"

// ofLines is the expression, which must compile, under lineFlag.
func (r Regexp) ofLines() *regexp.Regexp { return regexp.MustCompile(lineFlag + string(r)) }

// JSONSchema allows every text, also one that YAML takes for a number; whether it compiles a schema cannot say.
func (Regexp) JSONSchema() map[string]any {
	return map[string]any{"type": []string{"string", "number", "boolean"}}
}

// Regexps are one regular expression or a list of them.
type Regexps []Regexp

// OneOrMany lets one expression stand for the list.
func (Regexps) OneOrMany() {}

// compile compiles expressions that UnmarshalText has taken.
func (r Regexps) compile() []*regexp.Regexp {
	compiled := make([]*regexp.Regexp, len(r))
	for i, text := range r {
		compiled[i] = regexp.MustCompile(string(text))
	}
	return compiled
}

// Size is a number of bytes, written with a unit.
type Size int64

// maxSize is the greatest size that a file may ask for.
const maxSize Size = 1 << 30

// sizeUnits are the units of a size, the longest first where one ends with another.
var sizeUnits = []struct {
	name  string
	bytes Size
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"kB", 1e3}, {"B", 1}}

var errSize = errors.New("want a size from 1B to 1GiB, such as 512KiB or 10MiB")

// UnmarshalText takes a whole number and a unit.
func (s *Size) UnmarshalText(b []byte) error {
	for _, unit := range sizeUnits {
		number, ok := strings.CutSuffix(string(b), unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(number), 10, 31)
		if err != nil || n == 0 || n > math.MaxInt32 || Size(n) > maxSize/unit.bytes {
			return errSize
		}
		*s = Size(n) * unit.bytes
		return nil
	}
	return s.meant(string(b))
}

// meant is errSize with what a size in an unknown unit, such as 10M or 10mb, was probably meant to be.
func (*Size) meant(text string) error {
	number, unit := strings.TrimSpace(strings.TrimRight(text, "kKmMgGiIbB")), ""
	for _, u := range sizeUnits[:3] {
		rest := strings.ToUpper(strings.TrimSpace(strings.TrimPrefix(text, number)))
		if rest != "" && strings.HasPrefix(strings.ToUpper(u.name), rest) || rest == u.name[:1]+"B" {
			unit = u.name
		}
	}
	if unit == "" || new(Size).UnmarshalText([]byte(number+unit)) != nil {
		return errSize
	}
	return fmt.Errorf("%w; did you mean %s%s?", errSize, number, unit)
}

// String is the size in the greatest binary unit that leaves no rest.
func (s Size) String() string {
	for _, unit := range sizeUnits[:3] {
		if s > 0 && s%unit.bytes == 0 {
			return fmt.Sprintf("%d%s", s/unit.bytes, unit.name)
		}
	}
	return fmt.Sprintf("%dB", int64(s))
}

// MarshalText is String.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// JSONSchema is a number with a unit.
func (Size) JSONSchema() map[string]any {
	return map[string]any{"type": "string", "pattern": "^[0-9]+ *([KMG]iB|[kKMG]?B)$"}
}
