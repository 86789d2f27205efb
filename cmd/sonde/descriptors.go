package main

import (
	"log/slog"
	"net"

	"golang.org/x/net/netutil"
)

// descriptors is how the file descriptors that this process may have are shared out, so that probes that
// hang take neither the web side's nor those that files are read with.
type descriptors struct {
	// limit is how many there may be; 0 is not known.
	limit int
	// web is how many connections the web side accepts at a time, probes how many those of probes may
	// be; 0 is no bound.
	web, probes int
}

const (
	// mostWeb bounds the connections of the web side, with however many descriptors: each costs memory.
	mostWeb = 512
	// ownFiles is what is put by for listeners, logs, the file watch and files that are read.
	ownFiles = 24
	// plenty is a number of descriptors that needs no sharing.
	plenty = 1 << 20
)

// share shares out the descriptors; asked is what --probe.max-connections says, 0 for what there is.
func share(limit, asked int) descriptors {
	d := descriptors{limit: limit, web: mostWeb, probes: asked}
	if limit <= 0 || limit >= plenty {
		return d
	}
	d.web = min(mostWeb, max(2, limit/8))
	if asked == 0 {
		// A connection in the making can have two: the questions for a name's two families of
		// addresses, or two addresses that are tried. A quarter is left for that.
		d.probes = max(1, (limit-d.web-ownFiles)*3/4)
	}
	return d
}

// ownDescriptors shares out those of this process. The Go runtime has raised the soft limit to the hard
// one before.
func ownDescriptors(asked int) descriptors { return share(descriptorLimit(), asked) }

// log says how they are shared out, at debug, or that there are few.
func (d descriptors) log(l *slog.Logger) {
	l.Debug("file descriptors", "limit", d.limit, "probe_connections", d.probes, "web_connections", d.web)
	if d.limit > 0 && d.probes+d.web+ownFiles > d.limit {
		l.Warn("there are fewer file descriptors than connections may want; raise the limit of open files (ulimit -n, LimitNOFILE=)",
			"limit", d.limit, "probe_connections", d.probes, "web_connections", d.web)
	}
}

// limited bounds the connections that listeners accept at a time, all together: those beyond wait.
func (d descriptors) limited(listeners []net.Listener) []net.Listener {
	bounded := make([]net.Listener, len(listeners))
	for i, l := range listeners {
		bounded[i] = netutil.LimitListener(l, max(1, d.web/len(listeners)))
	}
	return bounded
}
