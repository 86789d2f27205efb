package schema

import (
	"strconv"
	"time"
)

// object is a JSON object.
type object = map[string]any

// durationPattern is a duration: numbers with units, one after the other.
const durationPattern = `\+?([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h|d|w)(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h|d|w))*`

// JSONSchema says that a duration is text.
func (*span) JSONSchema() map[string]any {
	return object{"type": "string", "pattern": "^" + durationPattern + "$"}
}

// JSONSchema says that a duration is text.
func (*period) JSONSchema() map[string]any { return (*span)(nil).JSONSchema() }

// JSONSchema says that a duration is text.
func (*pause) JSONSchema() map[string]any { return (*span)(nil).JSONSchema() }

// JSONSchema says that a limit is a duration, or none.
func (*limit) JSONSchema() map[string]any {
	return object{"type": "string", "pattern": "^(none|" + durationPattern + ")$"}
}

// JSONSchema says that a count is a number, or none.
func (*count) JSONSchema() map[string]any {
	return object{"anyOf": []any{object{"type": "integer", "minimum": 1, "maximum": 1_000_000}, object{"const": "none"}}}
}

// Numeric takes the number without quotes only.
func (*count) Numeric() {}

// JSONSchema lists the reasons.
func (*reason) JSONSchema() map[string]any { return object{"enum": reasonNames()} }

// The values as the file has them; the pages show them as defaults.

func (p period) String() string { return text(time.Duration(p)) }
func (s span) String() string   { return text(time.Duration(s)) }
func (p pause) String() string  { return text(time.Duration(p)) }

// String is empty when the limit depends on others.
func (l limit) String() string {
	switch l {
	case 0:
		return "none"
	case unset:
		return ""
	}
	return text(time.Duration(l))
}

func (c count) String() string {
	if c == 0 {
		return "none"
	}
	return strconv.Itoa(int(c))
}
