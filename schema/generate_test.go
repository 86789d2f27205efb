package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"sonde/cmd/gendocs/pages"
	"sonde/schema"
)

// structural are the rules that the JSON Schema knows, too.
var structural = map[string]bool{
	schema.RuleUnknownKey: true, schema.RuleMissingKey: true, schema.RuleNull: true, schema.RuleType: true, schema.RuleKind: true,
}

// beyond are the cases of the corpus whose mistake JSON has no word for: YAML's number forms, quotes
// around keys, how an alias was meant, and what profiles bring along.
var beyond = map[string]bool{
	"types/yaml-1-1-numbers": true, "reuse/quoted-merge-is-a-key": true,
	"traps/octal-for-a-number": true, "traps/exponents-for-a-number": true,
	"profiles/the-kind-of-a-profile": true, "profiles/missing-from-all": true,
}

// TestJSONSchemaAgrees holds the JSON Schema against the decoder on every file of the corpus.
func TestJSONSchemaAgrees(t *testing.T) {
	t.Parallel()
	s := compile(t)
	judged := 0
	for _, archive := range schema.Corpus(t) {
		a, err := txtar.ParseFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range schema.Cases(a) {
			name = strings.TrimSuffix(filepath.Base(archive), ".txtar") + "/" + name
			if value, ok := asJSON(data); ok && !beyond[name] {
				judged++
				agree(t, name, data, schema.FilesOf(a, filepath.Base(name)), s.Validate(value))
			}
		}
	}
	if judged < 50 {
		t.Errorf("judged %d files, want at least 50", judged)
	}
}

// agree compares two judgements of one file.
func agree(t *testing.T, name string, data []byte, files map[string]string, invalid error) {
	_, err := schema.ParseIn("probes.yaml", data, files)
	if err == nil && invalid != nil {
		t.Errorf("%s loads, but the JSON Schema says: %v", name, invalid)
	}
	problems, _ := err.(schema.Problems)
	for _, p := range problems {
		if structural[p.Rule] && invalid == nil && p.File == "probes.yaml" {
			t.Errorf("%s is fine by the JSON Schema, but not by the decoder: %v", name, p)
			return
		}
	}
}

func compile(t *testing.T) *jsonschema.Schema {
	text, err := pages.JSONSchema("..", schema.FakeKinds())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
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

// asJSON is what an editor's YAML reader makes of a file; false when it makes nothing of it.
func asJSON(data []byte) (any, bool) {
	var v any
	if err := yaml.Unmarshal(data, &v); err != nil {
		return nil, false
	}
	text, err := json.Marshal(plain(v))
	if err != nil {
		return nil, false
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	return value, err == nil
}

// plain makes of what yaml.v3 decodes what JSON can hold.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	case map[any]any:
		m := map[string]any{}
		for k := range v {
			m[fmt.Sprint(k)] = plain(v[k])
		}
		return m
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case time.Time:
		return v.Format(time.DateOnly)
	case float64:
		if v != v || v > 1e300 || v < -1e300 {
			return fmt.Sprint(v)
		}
	}
	return v
}

// TestPagesSayWhatTheSourceSays samples the generated pages: comments, defaults, bounds, examples.
func TestPagesSayWhatTheSourceSays(t *testing.T) {
	t.Parallel()
	reference, err := pages.Reference("..", schema.FakeKinds())
	if err != nil {
		t.Fatal(err)
	}
	jsonSchema, err := pages.JSONSchema("..", schema.FakeKinds())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{
		"| `attempts` | 1 to 100 | `4` | How many attempts a run makes at most, the first included. |",
		"| `total` | a duration, or none | `30s` | From asking for a connection to the last byte of the answer. |",
		"| `address` | host:port, such as example.com:443 | required | Where it is, host:port. |",
		"### fake.match.NAME",
		"| `numbers` | a list, each 100 to 599 |",
		"| `status` | no | the target |",
		"| `limit-never-fires` | warning |",
	} {
		if !bytes.Contains(reference, []byte(row)) {
			t.Errorf("the reference has no %q", row)
		}
	}
	for _, part := range []string{`"default": "1m"`, `"maximum": 100`, `"db.example.com:5432"`, `"A size that cannot be negative."`} {
		if !bytes.Contains(jsonSchema, []byte(part)) {
			t.Errorf("the JSON Schema has no %s", part)
		}
	}
}
