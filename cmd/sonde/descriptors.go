package main

import (
	"log/slog"
	"net"

	"golang.org/x/net/netutil"

	"sonde/probe/conn"
)

// descriptors is how the file descriptors that this process may have are shared out, so that probes that
// hang take neither the web side's nor those that files are read with.
type descriptors struct {
	// limit is how many there may be; 0 is not known.
	limit int
	// web is how many connections the web side accepts at a time, and probes how many descriptors those of
	// probes may have; 0 is no bound.
	web, probes int
}

const (
	// mostWeb bounds the connections of the web side, with however many descriptors: each costs memory.
	mostWeb = 512
	// ownFiles is what is put by for listeners, logs, the file watch, files that are read, and connections of
	// probes that are being closed.
	ownFiles = 24
)

// share shares out so many descriptors.
func share(limit int) descriptors {
	if limit <= 0 {
		return descriptors{web: mostWeb}
	}
	d := descriptors{limit: limit, web: min(mostWeb, max(2, limit/8))}
	d.probes = max(1, limit-d.web-ownFiles)
	return d
}

// ownDescriptors shares out those of this process. The Go runtime has raised the soft limit to the hard
// one before.
func ownDescriptors() descriptors { return share(descriptorLimit()) }

// forProbes is what connections of probes may have of them.
func (d descriptors) forProbes() conn.Descriptors {
	return conn.Descriptors{Spare: d.probes, Limit: d.limit}
}

// log says how they are shared out, at debug, or that there are fewer than asked for; asked is what
// --probe.max-connections says.
func (d descriptors) log(l *slog.Logger, asked int) {
	l.Debug("file descriptors", "limit", d.limit, "for_probes", d.probes, "for_web", d.web, "max_connections", asked)
	if d.limit > 0 && max(d.probes, asked)+d.web+ownFiles > d.limit {
		l.Warn("there are fewer file descriptors than connections may want; raise the limit of open files (ulimit -n, LimitNOFILE=)",
			"limit", d.limit, "for_probes", d.probes, "for_web", d.web, "max_connections", asked)
	}
}

// logFor warns of a set of so many probes of which more may run at once than have a descriptor each; concurrency
// and asked are what --probe.concurrency and --probe.max-connections say, which are as good a bound.
func (d descriptors) logFor(l *slog.Logger, probes, concurrency, asked int) {
	most := min(probes, concurrency)
	if asked > 0 {
		most = min(most, asked)
	}
	if d.probes > 0 && most > d.probes {
		l.Warn("more probes may run at once than there are file descriptors for, and those beyond wait, in vain when their targets hang; "+
			"raise the limit of open files (ulimit -n, LimitNOFILE=), or lower --probe.concurrency",
			"limit", d.limit, "for_probes", d.probes, "at_once", most, "probes", probes)
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
