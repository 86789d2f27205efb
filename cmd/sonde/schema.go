package main

import (
	"context"

	"sonde/schema"
)

type schemaCommand struct{}

// Help is shown by sonde schema --help.
func (*schemaCommand) Help() string {
	return `Editors complete and check probes.yaml by it.

Example: sonde schema > schema.json`
}

func (*schemaCommand) run(_ context.Context, t *terminal) error {
	_, err := t.out.Write(schema.JSONSchema())
	return err
}
