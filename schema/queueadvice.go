package schema

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"gopkg.in/yaml.v3"

	"sonde/probe"
	"sonde/probe/retry"
)

// hostQueue is what the probes of one host want of the connections that connection.per_host allows.
type hostQueue struct {
	host   string // as the first probe may show it
	bound  count  // 0 is none
	probes int
	wanted float64 // connections in use at a time, on average, while the host hangs
	at     place   // the bound, where the first probe has it from; it does not exist where no tree of it was kept
}

// queue notes what a probe wants of its host's connections.
func (d *definition) queue(p *probe.Probe) {
	if p.Host == "" || d.common.Connection.PerHost == 0 {
		return
	}
	if q := d.queueFor(p, d.common.Connection.PerHost, d.held(p)); q.probes == 1 {
		q.at, q.host = d.declared("connection", "per_host").place, d.filled.secrets.Text(p.Host)
	}
}

// queueFor adds a probe, a run of which holds a connection for so long at worst, to the queue of its host.
func (l *loader) queueFor(p *probe.Probe, bound count, held time.Duration) *hostQueue {
	q := l.queues[p.Host]
	if q == nil {
		q = &hostQueue{bound: bound}
		l.queues[p.Host] = q
	}
	q.probes++
	q.wanted += float64(held) / float64(p.Interval)
	return q
}

// held is how long a run holds connections of its host's when that hangs: it accepts none, or says nothing on
// one. Probes that may share one connection wait for none, nor do those without a bound.
func (d *definition) held(p *probe.Probe) time.Duration {
	if s, says := d.settings.(probe.Sharer); d.common.Connection.PerHost == 0 || says && s.SharesConnections() {
		return 0
	}
	l := p.Limits
	held := heldBy(&p.Policy, earliest(l.Connect, l.SockConnect, l.Total), p.Policy.Attempts)
	attempts := 1
	if d.retriesSilence() {
		attempts = p.Policy.Attempts
	}
	return min(max(held, heldBy(&p.Policy, earliest(l.SockRead, l.Total), attempts)), p.Interval)
}

// earliest is the shortest of limits; 0 is none.
func earliest(limits ...time.Duration) (first time.Duration) {
	for _, l := range limits {
		if l > 0 && (first == 0 || l < first) {
			first = l
		}
	}
	return first
}

// heldBy is how long a run spends in its attempts when each lasts until a limit ends it, or the deadline ends
// the run. Without either the run never ends.
func heldBy(p *retry.Policy, each time.Duration, attempts int) time.Duration {
	end := p.Deadline
	if end == 0 {
		end = math.MaxInt64 / 4
	}
	if each == 0 {
		return end
	}
	var held, passed, wait time.Duration
	for n := 1; n <= attempts; n++ {
		took := min(each, end-passed)
		held, passed = held+took, passed+took
		wait = p.Backoff.Wait(n, wait, 0)
		if passed+wait >= end {
			break
		}
		passed += wait
	}
	return held
}

// adviseQueues warns of bounds that leave probes waiting in vain as soon as a host hangs: what they then say is
// unknown, and not down. Hosts that have one bound in common are told of once, by the one that wants most.
func (l *loader) adviseQueues() {
	worst := map[*yaml.Node]*hostQueue{}
	others := map[*yaml.Node]int{}
	for _, host := range slices.Sorted(maps.Keys(l.queues)) {
		q := l.queues[host]
		if q.probes < 2 || q.wanted <= float64(q.bound) {
			continue
		}
		if !q.at.exists() {
			l.memory.doubtful = true
			continue
		}
		others[q.at.node]++
		if w := worst[q.at.node]; w == nil || q.wanted > w.wanted {
			worst[q.at.node] = q
		}
	}
	for node, q := range worst {
		l.problems.warn(q.at, false, RuleQueue, q.text(others[node]-1))
	}
}

func (q *hostQueue) text(others int) string {
	so := ""
	if others > 0 {
		so = fmt.Sprintf(" (and for %s)", probe.Count(others, "other host"))
	}
	least := int(math.Floor(q.wanted)) + 1
	want := fmt.Sprintf("at least %d", least)
	if least < q.probes {
		want += fmt.Sprintf(" (%d is one for each)", q.probes)
	} else {
		want = fmt.Sprintf("%d, one for each", q.probes)
	}
	return fmt.Sprintf("is %s, too few for %s%s: when it hangs, its %d probes take up %s connections at a time, and those that wait for one in vain are unknown, not down; want %s, or shorter timeouts, fewer attempts or longer intervals",
		q.bound, q.host, so, q.probes, rounded(q.wanted), want)
}
