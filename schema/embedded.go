package schema

import _ "embed" // for schema.json and tests.json

// The JSON Schemas (draft-07), for editors. Package cmd/gendocs/pages makes them; the program only shows them.

//go:embed schema.json
var jsonSchema []byte

//go:embed tests.json
var testsSchema []byte

// JSONSchema is the JSON Schema (draft-07) of the files, for editors.
func JSONSchema() []byte { return append([]byte(nil), jsonSchema...) }

// TestsJSONSchema is the JSON Schema (draft-07) of files of tests, for editors.
func TestsJSONSchema() []byte { return append([]byte(nil), testsSchema...) }
