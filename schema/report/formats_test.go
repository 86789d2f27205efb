package report

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// fieldsOf are the JSON names of a struct and of all structs within it.
func fieldsOf(t reflect.Type) (names []string) {
	for t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		names = append(names, f.Tag.Get("json"))
		names = append(names, fieldsOf(f.Type)...)
	}
	return names
}

// TestFormatsAreDocumented: FORMATS.md names every format and every field of the JSON, and its YAML is
// YAML.
func TestFormatsAreDocumented(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("FORMATS.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, f := range append(Formats(), Auto) {
		if !strings.Contains(page, "| `"+string(f)+"` |") {
			t.Errorf("format %s is not in the table", f)
		}
	}
	fields := fieldsOf(reflect.TypeFor[reportJSON]())
	if len(fields) < 20 {
		t.Errorf("only %d fields: %v", len(fields), fields)
	}
	for _, name := range fields {
		if !strings.Contains(page, "`"+name+"`") && !strings.Contains(page, "[]."+name+"`") {
			t.Errorf("field %s is not documented", name)
		}
	}
	blocks := strings.Split(page, "```yaml\n")[1:]
	for _, b := range blocks {
		text, _, _ := strings.Cut(b, "```")
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Errorf("%v in:\n%s", err, text)
		}
	}
	if len(blocks) < 3 {
		t.Errorf("%d blocks of YAML, want 3", len(blocks))
	}
}
