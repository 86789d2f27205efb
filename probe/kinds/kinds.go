// Package kinds has the ways to probe, each in a file of its own that registers it: the settings, whose
// comments are the reference that users read and whose tags are its rules, and the prober that they make.
// What http needs beside its settings is in the files that begin with its name, and in status.go, retryafter.go,
// redact.go and shell.go (a command line).
//
// A prober makes one attempt through package conn and judges what came: it never waits, never retries,
// and holds no more of what a target sends than a bound of its own.
package kinds

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/http/httpproxy"

	"sonde/probe"
	"sonde/probe/conn"
)

// house is what all kinds of one process share.
type house struct {
	net     conn.Starter
	header  http.Header              // of every HTTP request; not to be changed
	proxies func() *httpproxy.Config // what the environment says; nil is nothing
	secure  securities
	room    room

	mu     sync.Mutex
	recent [16]*httpTerms // those that probers were made with last
	turn   int            // which of them goes next
}

// share is the terms, those of an earlier prober where they are alike. Probes that are alike stand
// together in files, so a few recent ones are enough to look through.
func (h *house) share(t httpTerms) *httpTerms {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, have := range h.recent {
		if have != nil && *have == t {
			return have
		}
	}
	h.recent[h.turn] = &t
	h.turn = (h.turn + 1) % len(h.recent)
	return &t
}

func newHouse(net conn.Starter, version string) *house {
	return &house{net: net, header: http.Header{"User-Agent": {"sonde/" + version}}, room: room{size: roomSize}}
}

// registry has, by name, what makes a kind's settings with their defaults.
var registry = map[string]func(*house) probe.Settings{}

// register adds a kind; a name that is taken is a mistake in this package, so it panics.
func register(name string, settings func(*house) probe.Settings) {
	if _, taken := registry[name]; taken {
		panic(fmt.Sprintf("kind %q is registered twice", name))
	}
	registry[name] = settings
}

// All returns the kinds, sorted by name. Their probers connect through net, which may be nil where no
// prober is made; version is what an http probe calls itself in User-Agent.
func All(net *conn.Network, version string) []probe.Kind {
	h := newHouse(net.Starter(), version)
	h.proxies = sync.OnceValue(httpproxy.FromEnvironment)
	return h.all()
}

// Over is All over a network that need not be the real one; the environment of the process is not looked at.
func Over(net conn.Starter, version string) []probe.Kind { return newHouse(net, version).all() }

func (h *house) all() []probe.Kind {
	kinds := make([]probe.Kind, 0, len(registry))
	for name, settings := range registry {
		kinds = append(kinds, probe.Kind{Name: name, New: func() probe.Settings { return settings(h) }})
	}
	slices.SortFunc(kinds, func(a, b probe.Kind) int { return strings.Compare(a.Name, b.Name) })
	return kinds
}
