package schema

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sonde/probe"
)

// maxPerMinute is how many requests a minute one host may get when all its probes fail. It is ten a
// second: what an endpoint that has just fallen over should not be met with.
const maxPerMinute = 600

// hostLoad is what the probes of one host may send it.
type hostLoad struct {
	probe.HostRate
	probes int
	most   float64 // the worst of one probe
	at     place   // that probe, or what of it makes it so much
	// piece and element are where it is declared, when no tree of it was kept and at is but its file.
	piece   *piece
	element int
	host    string // as that probe may show it
}

// load notes what a probe may send to its host.
func (d *definition) load(p *probe.Probe) {
	if p.Host == "" {
		return
	}
	if l := d.loadOf(p, p.Rate()); l != nil {
		l.at, l.host = d.at.busiest(), d.filled.secrets.Text(p.Host)
	}
}

// loadOf adds a probe of that rate to the load of its host, and returns that if none so far has had more of it.
func (l *loader) loadOf(p *probe.Probe, r probe.Rate) (most *hostLoad) {
	h := l.loads[p.Host]
	if h == nil {
		h = &hostLoad{}
		l.loads[p.Host] = h
	}
	h.probes++
	h.Add(r, p.Policy.Budget)
	if r.Worst > h.most {
		h.most = r.Worst
		return h
	}
	return nil
}

// busiest is what of a probe stands for its load: its interval, or its attempts, or the probe itself.
func (p place) busiest() place {
	for _, at := range []place{p.find("interval"), p.find("retry", "attempts")} {
		if at.exists() {
			return at
		}
	}
	return p
}

// found is what stands for the load of a probe of which no tree was kept, or nothing.
func (l *hostLoad) found() place {
	again := piece{text: l.piece.text, line: l.piece.line, count: l.piece.count}
	if !again.parse() {
		return place{}
	}
	list := &path{key: "probes"}
	at := place{node: again.nodes[l.element], path: &path{parent: list, index: l.piece.first + l.element}, doc: l.at.doc}
	return at.resolved().busiest()
}

// adviseHosts warns of hosts that may get too much, each once, at the probe that sends it most.
func (l *loader) adviseHosts() {
	for _, host := range slices.Sorted(maps.Keys(l.loads)) {
		load := l.loads[host]
		worst, _ := load.Bounded()
		if worst <= maxPerMinute {
			continue
		}
		if !load.at.exists() {
			load.at = load.found()
		}
		if !load.at.exists() {
			l.memory.doubtful = true
			continue
		}
		which := "this probe sends"
		if load.probes > 1 {
			which = fmt.Sprintf("this and %s send", probe.Count(load.probes-1, "other probe"))
		}
		l.problems.warn(load.at, false, RuleHostLoad, fmt.Sprintf("makes for much: %s %s up to %s requests a minute when it fails (%s when all is well), want at most %d; want longer intervals, fewer attempts, or a retry.budget",
			which, load.host, rounded(worst), rounded(load.Well), maxPerMinute))
	}
}

// rounded is a number as people say it.
func rounded(f float64) string {
	if f < 10 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0")
	}
	return probe.Grouped(int64(math.Round(f)))
}
