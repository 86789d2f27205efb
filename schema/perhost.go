package schema

import "fmt"

// hostBound is how many connections to a host may be open, and the probe that declared it first.
type hostBound struct {
	bound count
	path  string
	at    pos
}

// oneBound sees that all enabled probes of a host bound its connections alike: they are counted together, so a
// probe with a bound would wait for room that those without take.
func (d *definition) oneBound(host string) bool {
	mine := d.common.Connection.PerHost
	first, ok := d.bounds[host]
	switch {
	case host == "", ok && mine == first.bound:
		return true
	case !ok:
		d.bounds[host] = hostBound{mine, d.at.path.String(), d.at.pos()}
		return true
	}
	at := d.at.find("connection", "per_host")
	if !at.exists() {
		at = place{d.at.node, &path{parent: d.at.path, key: "connection.per_host", raw: true}, d.at.via, d.document}
	}
	return d.walk.problem(at, RulePerHost, fmt.Sprintf("is %s, but %s at %s has %s for the same host %s; want one bound for all probes of a host, best under defaults",
		mine, first.path, first.at, first.bound, d.filled.secrets.Text(host)))
}

// sameBound notes the bound of a host, and says whether it is what the host's other probes have.
func (l *loader) sameBound(host string, bound count) bool {
	first, ok := l.bounds[host]
	if !ok && host != "" {
		l.bounds[host] = hostBound{bound: bound}
	}
	return !ok || first.bound == bound
}
