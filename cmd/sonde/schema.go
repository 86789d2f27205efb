package main

import (
	"context"

	"sonde/schema"
)

type schemaCommand struct {
	Tests bool `help:"Print that of files of tests instead."`
}

// Help is shown by sonde schema --help.
func (*schemaCommand) Help() string {
	return `Editors complete and check probes.yaml by it.

Example: sonde schema > schema.json
Example: sonde schema --tests > tests.json`
}

func (c *schemaCommand) run(_ context.Context, t *terminal) error {
	text := schema.JSONSchema()
	if c.Tests {
		text = schema.TestsJSONSchema()
	}
	_, err := t.out.Write(text)
	return err
}
