package conn

import (
	"crypto/tls"
	"slices"
	"sync/atomic"

	"sonde/probe"
)

// key is what makes connections interchangeable.
type key struct {
	address    string
	secure     bool
	tls        string
	version    Version
	proxy      string
	connection probe.Connection
	raw        bool // for a protocol of the kind's own
}

func (r *Route) key(raw bool) key {
	k := key{address: r.Address, version: r.Version, connection: r.Connection, raw: raw}
	if k.version == "" {
		k.version = Auto
	}
	if r.TLS != nil {
		k.secure, k.tls = true, r.TLS.Key
	}
	if r.Proxy != nil {
		k.proxy = r.Proxy.Key
	}
	return k
}

// host is what the connections to one address share: the limit per host and the queue.
type host struct {
	net     *Network
	address string
	open    int      // connections open or being made
	shelves []*shelf // nearly always one
	queue   []*waiter
	waiting atomic.Int32 // len(queue), for those who do not hold the lock
	starved bool         // is in Network.starved
	short   bound        // what has kept back the last that was not served
}

// shelf holds the connections of one key.
type shelf struct {
	host   *host
	key    key
	idle   []*link // HTTP/1, idle; the last is the most recently used
	shared []*link // HTTP/2, in use or idle
	h2     bool    // the next connection is likely to speak HTTP/2, so that it is worth waiting for
	open   int32   // of host.open
	queued int32   // of the host's queue
	making int32   // connections being made that others may share
	files  int     // how many descriptors it takes to make one
	config *tls.Config
	uses   []*Use
}

// shelf finds or makes the shelf of a route, for HTTP or for a protocol of the kind's own. The lock is held.
func (n *Network) shelf(r *Route, raw bool) *shelf {
	if u := n.useOf(r); u != nil && !raw {
		return u.shelf
	}
	k := r.key(raw)
	h := n.hosts[k.address]
	if h == nil {
		h = &host{net: n, address: k.address}
	}
	for _, s := range h.shelves {
		if s.key == k {
			return s
		}
	}
	s := &shelf{host: h, key: k, h2: k.version == V2 || k.version == H2C, files: filesFor(r.Leads())}
	s.putBack()
	return s
}

// putBack sees to it that the shelf, and its host, are known: one that held nothing may have been let go of.
// The lock is held.
func (s *shelf) putBack() {
	h := s.host
	h.net.hosts[h.address] = h
	if !slices.Contains(h.shelves, s) {
		h.shelves = append(h.shelves, s)
	}
}

// tidy forgets the shelf if it holds nothing and nobody uses it or waits for it, and the host with the last of
// them. The lock is held.
func (s *shelf) tidy() {
	if s.open > 0 || s.queued > 0 || len(s.uses) > 0 {
		return
	}
	h := s.host
	if i := slices.Index(h.shelves, s); i >= 0 {
		h.shelves = slices.Delete(h.shelves, i, i+1)
	}
	if len(h.shelves) == 0 && h.net.hosts[h.address] == h {
		delete(h.net.hosts, h.address)
	}
}

// try serves a want now, or says what it must wait for; out collects connections to close once the lock is
// released. The lock is held.
func (n *Network) try(w want, out *outcome) (permit, bound) {
	s := w.shelf
	if n.closed {
		return permit{err: errClosed}, unbound
	}
	if !w.fresh {
		if l := s.take(out); l != nil {
			return n.granted(w, l), unbound
		}
		if s.h2 && s.making > 0 {
			n.waits(w, shares)
			return permit{}, shares
		}
	}
	if b := n.room(w, out); b != unbound {
		s.host.short = b
		n.waits(w, b)
		return permit{}, b
	}
	n.grant(w)
	return permit{shelf: s}, unbound
}

// grant gives leave to make a connection, and takes it into the account. The lock is held.
func (n *Network) grant(w want) {
	s := w.shelf
	s.putBack() // making room may have let go of it
	s.host.open++
	s.open++
	n.total++
	n.holds(w.call, s.files)
	n.dialers[w.call] = struct{}{}
	if !w.fresh {
		s.making++
	}
}

// granted hands a kept connection to a call. The lock is held.
func (n *Network) granted(w want, l *link) permit {
	n.idle.remove(l)
	p := permit{shelf: w.shelf, link: l, reused: l.uses > 0}
	l.uses++
	l.active++
	if !l.h2 {
		l.call.Store(w.call)
	}
	return p
}

// take picks a kept connection: of HTTP/2 one that takes another stream, and whose peer reads, of HTTP/1 the one that was
// used last. What has died or grown too old goes to out. The lock is held.
func (s *shelf) take(out *outcome) *link {
	for i := 0; i < len(s.shared); {
		l := s.shared[i]
		if !l.usable() {
			s.retire(l, out)
			continue
		}
		if !l.balks() && l.cc.Reserve() == nil {
			return l
		}
		i++
	}
	for len(s.idle) > 0 {
		l := s.idle[len(s.idle)-1]
		if l.usable() {
			s.unshelve(l)
			return l
		}
		s.host.net.discard(l, out)
	}
	return nil
}

// retire takes an HTTP/2 connection off its shelf; its streams may end. The lock is held.
func (s *shelf) retire(l *link, out *outcome) {
	if l.active == 0 {
		s.host.net.discard(l, out)
		return
	}
	s.unshelve(l)
}

// unshelve takes a connection off its shelf. The lock is held.
func (s *shelf) unshelve(l *link) {
	s.idle = without(s.idle, l)
	s.shared = without(s.shared, l)
}

// without is the links but for l, which is the last of them more often than not. Nothing of it is left in the memory
// behind them: a shelf lives for as long as its route.
func without(links []*link, l *link) []*link {
	for i := len(links) - 1; i >= 0; i-- {
		if links[i] == l {
			return slices.Delete(links, i, i+1)
		}
	}
	return links
}

// discard takes a connection out of the account, to be closed by the caller once the lock is released.
// The lock is held.
func (n *Network) discard(l *link, out *outcome) {
	if _, ok := n.links[l]; !ok {
		return
	}
	delete(n.links, l)
	n.files--
	l.listed.Store(false)
	n.idle.remove(l)
	if l.shelf != nil {
		l.shelf.unshelve(l)
	}
	l.dead.Store(true)
	l.unwatchIdle()
	out.close = append(out.close, l)
	n.freed(l.from)
}

// freed takes one connection of a shelf out of the counts. The lock is held.
func (n *Network) freed(s *shelf) {
	s.open--
	s.host.open--
	n.total--
	s.tidy()
}
