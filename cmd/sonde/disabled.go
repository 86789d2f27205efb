package main

import (
	"fmt"

	"sonde/schema"
)

// noneDisabled is the failure of a command that is to do something with a probe which the files disable.
func noneDisabled(set *schema.Set, names []string) error {
	disabled := set.Disabled()
	for _, name := range names {
		if where, ok := disabled[name]; ok {
			return cannot(fmt.Errorf("the probe %q is disabled: enabled: false stands at %s", name, where),
				"take it off, or choose a probe that is enabled")
		}
	}
	return nil
}
