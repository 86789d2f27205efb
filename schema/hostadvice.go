package schema

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"sonde/probe"
)

// maxPerMinute is how many requests a minute one host may get when all its probes fail. It is ten a
// second: what an endpoint that has just fallen over should not be met with.
const maxPerMinute = 600

// hostLoad is what the probes of one host may send it.
type hostLoad struct {
	probes int
	runs   float64 // begun a minute
	worst  float64 // attempts a minute when all of them fail
	budget budget
	most   float64 // the worst of one probe
	at     place   // that probe, or what of it makes it so much
	// piece and element are where it is declared, when no tree of it was kept and at is but its file.
	piece   *piece
	element int
	host    string // as that probe may show it
}

// load notes what a probe may send to its host. Attempts that no run can reach are not counted, nor are
// redirects and transparent attempts.
func (d *definition) load(p *probe.Probe) {
	if p.Host == "" {
		return
	}
	attempts, _ := d.reachable(p.Policy.Deadline)
	if l := d.loadOf(p, attempts, d.common.Retry.Budget); l != nil {
		l.at, l.host = d.at.busiest(), d.filled.secrets.Text(p.Host)
	}
}

// loadOf adds a probe to the load of its host, and returns that if none so far has had more of it.
func (l *loader) loadOf(p *probe.Probe, attempts int, b budget) (most *hostLoad) {
	h := l.loads[p.Host]
	if h == nil {
		h = &hostLoad{}
		l.loads[p.Host] = h
	}
	runs := float64(time.Minute) / float64(p.Interval)
	h.probes++
	h.runs += runs
	h.worst += runs * float64(attempts)
	if b.set {
		h.budget = b
	}
	if mine := runs * float64(attempts); mine > h.most {
		h.most = mine
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

// perMinute is the worst load with what the budget grants.
func (l *hostLoad) perMinute() float64 {
	retries := l.worst - l.runs
	if l.budget.set {
		retries = min(retries, l.budget.Ratio*l.runs+l.budget.FloorPerSecond*60)
	}
	return l.runs + retries
}

// adviseHosts warns of hosts that may get too much, each once, at the probe that sends it most.
func (l *loader) adviseHosts() {
	for _, host := range slices.Sorted(maps.Keys(l.loads)) {
		load := l.loads[host]
		worst := load.perMinute()
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
			which, load.host, rounded(worst), rounded(load.runs), maxPerMinute))
	}
}

// rounded is a number as people say it.
func rounded(f float64) string {
	if f < 10 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0")
	}
	return probe.Grouped(int64(math.Round(f)))
}
