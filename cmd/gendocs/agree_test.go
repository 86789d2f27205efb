package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"sonde/probe/kinds"
	"sonde/schema"
)

// TestSchemaAndDecoderAgree takes every example, makes one mistake at each of its values in turn, and
// holds the JSON Schema that stands in the repository against the decoder, with the real kinds.
func TestSchemaAndDecoderAgree(t *testing.T) {
	t.Parallel()
	s := compiled(t)
	examples, err := filepath.Glob(filepath.Join("..", "..", "examples", "*.yaml"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	refused := 0
	for _, name := range examples {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !agrees(t, s, name, text) {
			continue
		}
		for _, broken := range mistakes(t, text) {
			if !agrees(t, s, name, broken) {
				refused++
			}
		}
	}
	if refused < 100 {
		t.Errorf("only %d of the mistakes were refused, want at least 100: are they still made?", refused)
	}
}

// agrees compares the two judgements of a text, and says whether it is good. What is wrong by rules
// that JSON Schema cannot express is left to the decoder.
func agrees(t *testing.T, s *jsonschema.Schema, name string, text []byte) (good bool) {
	t.Helper()
	_, err := elsewhere().Parse(name, text, kinds.All(nil, ""))
	var problems schema.Problems
	errors.As(err, &problems)
	invalid := s.Validate(asJSON(t, text))
	for _, p := range problems {
		switch p.Rule {
		case schema.RuleUnknownKey, schema.RuleMissingKey, schema.RuleNull, schema.RuleType, schema.RuleKind:
			if invalid == nil && !beyond(name, text, p) {
				t.Errorf("the JSON Schema takes what the decoder does not: %v\n%s", p, text)
			}
			return false
		}
	}
	if len(problems) == 0 && invalid != nil {
		t.Errorf("the decoder takes what the JSON Schema does not: %v\n%s", invalid, text)
	}
	return len(problems) == 0
}

// beyond is true of mistakes that JSON Schema cannot see: in another file, and what is missing from a
// probe and from the profiles that it uses.
func beyond(name string, text []byte, p schema.Problem) bool {
	lacks := p.Rule == schema.RuleMissingKey || p.Rule == schema.RuleKind
	return p.File != name || lacks && bytes.Contains(text, []byte("use:"))
}

// elsewhere is a machine on which every variable is set and every secret is in its place.
func elsewhere() schema.World {
	w := schema.System()
	w.LookupEnv = func(string) (string, bool) { return "filled-in", true }
	read := w.ReadFile
	w.ReadFile = func(name string, limit int64) ([]byte, error) {
		data, err := read(name, limit)
		if errors.Is(err, fs.ErrNotExist) {
			return []byte("filled-in\n"), nil
		}
		return data, err
	}
	return w
}

// mistakes are copies of a text, each with one value that is null, a text, a list or a mapping instead
// of what it was, a number or a boolean with and without quotes, or with one key more.
func mistakes(t *testing.T, text []byte) [][]byte {
	root := unshared(t, text)
	var made [][]byte
	keep := func() {
		out, err := yaml.Marshal(&root)
		if err != nil {
			t.Fatal(err)
		}
		if yaml.Unmarshal(out, new(any)) != nil {
			return // the value held an anchor that is used elsewhere
		}
		made = append(made, out)
	}
	spoil(root.Content[0], keep)
	return made
}

// unshared is the tree of a text with its aliases and merge keys expanded: a value that is spoilt may
// bear an anchor, and nothing must be left that refers to it.
func unshared(t *testing.T, text []byte) (root yaml.Node) {
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	expanded, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(expanded, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

// spoil makes one mistake after the other at a value and below it, and mends each.
func spoil(n *yaml.Node, made func()) {
	whole := *n
	for _, instead := range []yaml.Node{
		{Kind: yaml.ScalarNode, Tag: "!!null", Value: "~"},
		{Kind: yaml.ScalarNode, Tag: "!!str", Value: "some text"},
		{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{{Kind: yaml.MappingNode, Tag: "!!map"}}},
		{Kind: yaml.MappingNode, Tag: "!!map"},
		{Kind: yaml.ScalarNode, Tag: "!!int", Value: "404"},
		{Kind: yaml.ScalarNode, Tag: "!!str", Value: "404", Style: yaml.DoubleQuotedStyle},
		{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"},
		{Kind: yaml.ScalarNode, Tag: "!!str", Value: cmp.Or(n.Value, "true"), Style: yaml.DoubleQuotedStyle},
	} {
		*n = instead
		made()
		*n = whole
	}
	if n.Kind == yaml.MappingNode {
		n.Content = append(n.Content[:len(n.Content):len(n.Content)],
			&yaml.Node{Kind: yaml.ScalarNode, Value: "one-more"}, &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"})
		made()
		*n = whole
	}
	for i, child := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 1 {
			spoil(child, made)
		}
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is what an editor's YAML reader makes of a text.
func asJSON(t *testing.T, text []byte) any {
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	return value
}
