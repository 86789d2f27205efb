package main

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"sonde/schema"
)

// TestExamplesShowEveryKey holds that the example of a kind shows each key that the JSON Schema knows
// for a probe of that kind; one that needs a file of the reader's may stand in a comment.
func TestExamplesShowEveryKey(t *testing.T) {
	t.Parallel()
	var language struct {
		Definitions map[string]any
		Properties  struct {
			Probes struct {
				Items map[string]any
			}
		}
	}
	if err := json.Unmarshal(schema.JSONSchema(), &language); err != nil {
		t.Fatal(err)
	}
	resolve(language.Properties.Probes.Items, language.Definitions)
	probe := language.Properties.Probes.Items
	kinds := []string{"http", "tcp"}
	for _, kind := range kinds {
		text := readFile(t, "examples/"+kind+".yaml")
		var file struct{ Probes []any }
		if err := yaml.Unmarshal([]byte(text), &file); err != nil {
			t.Fatal(err)
		}
		block := []any{}
		for _, p := range file.Probes {
			block = append(block, p.(map[string]any)[kind])
		}
		own, known := probe["properties"].(map[string]any)[kind].(map[string]any)
		if !known {
			t.Fatalf("the JSON Schema has no %s among the keys of a probe", kind)
		}
		unshown(own, block, kind, func(path, key string) {
			if !strings.Contains(text, "# "+key+":") {
				t.Errorf("examples/%s.yaml does not show %s", kind, path)
			}
		})
		if kind == "http" { // which shows the common keys for all kinds
			unshown(probe, file.Probes, "probes", func(path, key string) {
				if !strings.HasPrefix(path, "probes.tcp") && !strings.HasPrefix(path, "probes.http.") && !strings.Contains(readFile(t, "examples/reuse.yaml"), " "+key+":") {
					t.Errorf("neither examples/http.yaml nor reuse.yaml shows %s", path)
				}
			})
		}
	}
}

// unshown calls report for each key of a schema that none of the values has.
func unshown(schema map[string]any, values []any, path string, report func(path, key string)) {
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		for _, option := range sequence(schema[word]) {
			unshown(mapping(option), values, path, report)
		}
	}
	if items := mapping(schema["items"]); items != nil {
		var inner []any
		for _, v := range values {
			inner = append(inner, sequence(v)...)
		}
		unshown(items, inner, path+"[]", report)
	}
	if free := mapping(schema["additionalProperties"]); free != nil {
		var inner []any
		for _, v := range values {
			for _, w := range mapping(v) {
				inner = append(inner, w)
			}
		}
		unshown(free, inner, path+".*", report)
	}
	for key, sub := range mapping(schema["properties"]) {
		var inner []any
		for _, v := range values {
			if w, there := mapping(v)[key]; there {
				inner = append(inner, w)
			}
		}
		if len(inner) == 0 {
			report(path+"."+key, key)
			continue
		}
		unshown(mapping(sub), inner, path+"."+key, report)
	}
}

// resolve replaces, below a value of a JSON Schema, what refers to a definition by the definition.
func resolve(value any, definitions map[string]any) {
	for _, sub := range sequence(value) {
		resolve(sub, definitions)
	}
	m := mapping(value)
	if ref, ok := m["$ref"].(string); ok {
		delete(m, "$ref")
		maps.Copy(m, mapping(definitions[strings.TrimPrefix(ref, "#/definitions/")]))
	}
	for _, sub := range m {
		resolve(sub, definitions)
	}
}

// mapping and sequence are a value as what they say, empty when it is something else.
func mapping(v any) map[string]any { m, _ := v.(map[string]any); return m }
func sequence(v any) []any         { l, _ := v.([]any); return l }
