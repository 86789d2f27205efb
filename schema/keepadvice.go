package schema

import (
	"fmt"

	"sonde/probe"
)

// adviseKeep warns of what a probe says of keeping connections when it keeps none. Defaults and profiles
// are for other probes, too: who takes those is not warned.
func (d *definition) adviseKeep() {
	why := d.keepsNone()
	if why == "" {
		return
	}
	for _, name := range []string{"reuse", "idle_timeout", "max_age"} {
		at := d.declared("connection", name)
		if at.exists() && at.own() && (name != "reuse" || d.common.Connection.Reuse) {
			d.warn(at, RuleNotKept, fmt.Sprintf("is %s and does nothing, because %s; want it left out", at.node.Value, why))
		}
	}
}

// keepsNone says why the probe keeps no connection for its next attempt; empty when it does.
func (d *definition) keepsNone() string {
	if k, says := d.settings.(probe.Keeper); says && !k.KeepsConnections() {
		return "a " + d.kind + " probe makes a connection of its own for each attempt"
	}
	if !d.common.Connection.Reuse {
		return "connection.reuse is false"
	}
	return ""
}

// markUnkept marks what is built in of keeping connections where none is kept. Printed as though the probe
// said it, it would be warned of.
func (v viewer) markUnkept(values []Value) {
	if v.keepsNone() == "" {
		return
	}
	for i := range values {
		for j := range values[i].Values {
			of := &values[i].Values[j]
			if unkept(of) && of.Origin.Layer == LayerBuiltIn && (of.Key != "reuse" || v.common.Connection.Reuse) {
				of.Idle = true
			}
		}
	}
}

// unkept is true of the values that say how connections are kept.
func unkept(v *Value) bool {
	return v.Path == "connection.reuse" || v.Path == "connection.idle_timeout" || v.Path == "connection.max_age"
}

// idleComment is the comment that an idle value is printed in; never is that of a limit.
func idleComment(v *Value, never string) string {
	if v.Idle && unkept(v) {
		return "# does nothing: "
	}
	return never
}
