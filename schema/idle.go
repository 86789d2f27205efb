package schema

import (
	"slices"
	"time"
)

// markIdle marks the limits of an attempt that another one always beats and of which nobody is warned:
// built-in ones, and those of a weaker layer than what beats them. Printed as though the probe said them
// they would be warned of.
func (v viewer) markIdle(values []Value) {
	for i := range values {
		all := values[i].Path == "timeout"
		for j := range values[i].Values {
			of := &values[i].Values[j]
			of.Idle = values[i].Path == "timeout" && v.isIdle(of.Key)
			all = all && of.Idle
		}
		values[i].Idle = all
	}
}

// isIdle is true of such a limit.
func (v viewer) isIdle(name string) bool {
	t := &v.common.Timeout
	total := bound{time.Duration(t.Total), [][]string{{"timeout", "total"}}}
	connect := bound{time.Duration(t.Connect), [][]string{{"timeout", "connect"}}}
	deadline := bound{v.common.deadline(), [][]string{{"interval"}, {"deadline"}}}
	at := v.declared("timeout", name)
	switch name {
	case "total":
		return v.loses(total.limit, at, deadline)
	case "connect":
		return v.loses(connect.limit, at, total, deadline)
	case "sock_connect":
		return v.loses(time.Duration(t.SockConnect), at, connect, total, deadline)
	case "sock_read":
		return v.loses(time.Duration(t.SockRead), at, total, deadline)
	}
	return false
}

// bound is a time limit, 0 for none, and what sets it.
type bound struct {
	limit time.Duration
	keys  [][]string
}

// loses is true of a limit that is longer than one of those around it, if the limit is built in or that one
// is set by a stronger layer.
func (v viewer) loses(limit time.Duration, at source, around ...bound) bool {
	return slices.ContainsFunc(around, func(b bound) bool {
		stronger := func(keys []string) bool { return !at.exists() || v.beats(at, keys...) }
		return b.limit > 0 && limit > b.limit && slices.ContainsFunc(b.keys, stronger)
	})
}
