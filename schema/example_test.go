package schema_test

import (
	"context"
	"errors"
	"fmt"

	"sonde/probe"
	"sonde/schema"
)

// echo is a kind with one setting.
type echo struct {
	Word string `yaml:"word" validate:"required"`
}

func (e *echo) Check(probe.Env) []probe.Fault                      { return nil }
func (e *echo) Target() string                                     { return e.Word }
func (e *echo) Host() string                                       { return "" }
func (e *echo) Prober(probe.Env) (probe.Prober, error)             { return e, nil }
func (e *echo) Probe(context.Context, probe.Try) (a probe.Attempt) { a.OK = true; return a }

func ExampleParse() {
	kinds := []probe.Kind{{Name: "echo", New: func() probe.Settings { return &echo{} }}}
	set, err := schema.Parse("probes.yaml", []byte(`
defaults: {interval: 30s}
probes:
  - name: hello
    echo: {word: hello}
`), kinds)
	fmt.Println(set.Probes[0].Name, set.Probes[0].Interval, err)

	_, err = schema.Parse("probes.yaml", []byte(`
probes:
  - name: hello
    intervall: 30s
    echo: {}
`), kinds)
	fmt.Println(err)
	var problems schema.Problems
	fmt.Println(errors.As(err, &problems), problems[0].Line, problems[0].Rule)
	// Output:
	// hello 30s <nil>
	// probes.yaml:4:5: probes[0].intervall is not a known key; did you mean interval?
	// probes.yaml:5:11: probes[0].echo.word is missing, want text
	// true 4 unknown-key
}
