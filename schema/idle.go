package schema

import "time"

// markIdle marks the limits of an attempt that are built in and beaten by what the file says. Printed as
// though the file said them they would be warned of.
func (v viewer) markIdle(values []Value) {
	t := &v.common.Timeout
	total, connect, deadline := time.Duration(t.Total), time.Duration(t.Connect), v.common.deadline()
	idle := map[string]bool{
		"timeout.total":        over(total, deadline),
		"timeout.connect":      over(connect, total, deadline),
		"timeout.sock_connect": over(time.Duration(t.SockConnect), connect, total, deadline),
		"timeout.sock_read":    over(time.Duration(t.SockRead), total, deadline),
	}
	for i := range values {
		all := values[i].Path == "timeout"
		for j := range values[i].Values {
			of := &values[i].Values[j]
			of.Idle = idle[of.Path] && of.Origin.Layer == LayerBuiltIn
			all = all && of.Idle
		}
		values[i].Idle = all
	}
}

// over is true of a limit that is longer than one of those around it; 0 is none.
func over(limit time.Duration, around ...time.Duration) bool {
	for _, a := range around {
		if a > 0 && limit > a {
			return true
		}
	}
	return false
}
