package probe

import "encoding"

// The fields of a settings struct are read by these rules, which schema's walk and its JSON Schema
// share. A field without a yaml tag is not part of the file. Strings, booleans, integers, floats,
// structs, slices and maps with string keys are read as YAML has them; a field of type any takes
// whatever stands there. The tag `alone:"true"` marks the field that people mean who write a scalar where
// the struct's mapping belongs; the problem then shows it. The tag `fill:"url"` marks a text, or a Value, that is
// a URL: what is filled into it is data of the place where it stands, and no URL's syntax. A type that wants more
// implements some of these interfaces.

// Value is a type that is written as one scalar. UnmarshalText gets the scalar's text; its error says
// only what is wanted, as in `want a status such as 200, 200-299 or 2xx`. A struct that is a Value may
// be written as a scalar or as a mapping of its fields.
type Value interface{ encoding.TextUnmarshaler }

// Numeric marks a Value some of whose texts are whole numbers. As a field of a number does, it takes them
// without quotes only.
type Numeric interface{ Numeric() }

// OneOrMany marks a slice type that may also be written as its one element alone.
type OneOrMany interface{ OneOrMany() }

// Described is a type that says its own JSON Schema (draft-07), where the Go type does not tell it.
type Described interface{ JSONSchema() map[string]any }
