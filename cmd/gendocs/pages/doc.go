// Package pages makes the pages that are made from the code: the JSON Schemas and the reference of the files,
// and that of the metrics. It reads Go source, so cmd/gendocs alone uses it, and tests: the program sonde
// holds two of the pages (schema.JSONSchema), not what makes them.
//
// What it knows of the language is schema.Describe and schema.ShapeOf, of the metrics metrics.Describe, and
// what the comments say:
//
//   - jsonschema.go and reuseschema.go make the JSON Schema of definition files, testsschema.go that of files of tests.
//   - reference.go and reference.md.tmpl make schema/REFERENCE.md.
//   - comments.go reads the comments that these repeat.
//   - metrics.go and metrics.md.tmpl make probe/metrics/METRICS.md.
package pages
