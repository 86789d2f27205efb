package pages

import (
	"strings"
	"testing"

	"sonde/schema"
)

// TestWithoutSource holds that a page is not made without the comments that it repeats.
func TestWithoutSource(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, makePage := range map[string]func() ([]byte, error){
		"JSON Schema":     func() ([]byte, error) { return JSONSchema(root, nil) },
		"reference":       func() ([]byte, error) { return Reference(root, nil) },
		"schema of a set": func() ([]byte, error) { return JSONSchemaOf(root, "a set", &schema.Set{}) },
	} {
		_, err := makePage()
		if err == nil || !strings.HasPrefix(err.Error(), "reading the comments of package sonde/schema: ") {
			t.Errorf("%s: error %v, want one of reading the comments of sonde/schema", name, err)
		}
	}
}
