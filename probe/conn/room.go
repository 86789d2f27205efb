package conn

import (
	"net"
	"net/netip"
)

// Descriptors is how many file descriptors a network may have.
type Descriptors struct {
	// Spare is how many connections may have, those in the making included; 0 is not known, and no bound. One
	// that is being closed may still have its own for a moment.
	Spare int
	// Limit is how many the process may have in all; 0 is not known. It is told to people, and bounds nothing.
	Limit int
}

// bound is what a want has to wait for.
type bound uint8

// The bounds in the order in which they are asked, so that a limit that somebody has set is named before the
// descriptors: where both bind, more descriptors alone would not help.
const (
	unbound         bound = iota
	shares                // another call makes a connection that can be shared
	perHost               // probe.Connection.PerHost
	mostConnections       // Options.MaxConnections
	descriptors           // Options.Descriptors
)

// everywhere is true of a bound that all hosts are under.
func (b bound) everywhere() bool { return b >= mostConnections }

// filesFor is how many descriptors it takes to make a connection to host:port. A name takes a second: its two
// families of addresses are asked for beside each other, and two of its addresses may be tried so.
func filesFor(address string) int {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return 1
	}
	return 2
}

// room sees to it that one more connection may be made, within the bounds or in the place of idle ones; else
// it is the bound, and a host that is kept by one that others are under waits for its turn among them. The
// lock is held.
func (n *Network) room(w want, out *outcome) bound {
	b := n.bind(w, out)
	if h := w.shelf.host; b.everywhere() && !h.starved {
		h.starved = true
		n.starved = append(n.starved, h)
	}
	return b
}

// bind is the bound that a new connection meets. The lock is held.
func (n *Network) bind(w want, out *outcome) bound {
	s, h := w.shelf, w.shelf.host
	if !s.fits(out) {
		return perHost
	}
	for most := n.options.MaxConnections; most > 0 && n.total >= most; {
		if !n.evict(out) {
			return mostConnections
		}
	}
	if !w.kept && n.before(h) != nil {
		return descriptors
	}
	for n.lacks(s.files) {
		if !n.evict(out) {
			return descriptors
		}
	}
	return unbound
}

// fits is true when the host's bound allows one more connection of the shelf, or idle ones give way to it. With the
// last of another shelf its say in the bound goes, too; whoever asks has one in any case. The lock is held.
func (s *shelf) fits(out *outcome) bool {
	for h := s.host; ; {
		s.putBack()
		if limit := h.limit(); limit == 0 || h.open < limit {
			return true
		}
		l := h.spare()
		if l == nil {
			return false
		}
		h.net.discard(l, out)
	}
}

// lacks is true when so many more descriptors are not to be had. The lock is held.
func (n *Network) lacks(files int) bool {
	spare := n.options.Descriptors.Spare
	return spare > 0 && n.files > 0 && n.files+files > spare
}

// before is the first of another host that waits for more descriptors than there are, nil while none does: whoever
// needs fewer must not always come before it. The lock is held.
func (n *Network) before(h *host) *waiter {
	if len(n.starved) == 0 || n.starved[0] == h {
		return nil
	}
	first := n.starved[0]
	if len(first.queue) == 0 || first.short != descriptors {
		return nil
	}
	return first.queue[0]
}

// evict gives up the connection that has been idle for longest; false when there is none. The lock is held.
func (n *Network) evict(out *outcome) bool {
	l := n.idle.first()
	if l != nil {
		n.discard(l, out)
	}
	return l != nil
}

// spare is an idle connection of the host, nil when there is none.
func (h *host) spare() *link {
	for _, s := range h.shelves {
		if len(s.idle) > 0 {
			return s.idle[0]
		}
		for _, l := range s.shared {
			if l.active == 0 {
				return l
			}
		}
	}
	return nil
}

// holds says how many descriptors a call has from now on that makes a connection. The lock is held.
func (n *Network) holds(c *Call, files int) {
	n.files += files - c.files
	c.files = files
}

// settlesFor says that a call that makes a connection needs no more than so many descriptors from now on.
func (c *Call) settlesFor(s *shelf, files int) {
	if s.files > files {
		c.net.change(s.host, func(*outcome) { c.net.holds(c, files) })
	}
}

// another asks for leave to try one more address beside so many that are being tried. An attempt that fails
// without it says nothing of the target.
func (c *Call) another(beside int) bool {
	if c.net.options.Descriptors.Spare <= 0 {
		return true
	}
	lack := c.net.spare(c, beside)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x.short = lack
	return lack == nil
}

// spare gives a call a descriptor for one more address beside so many, or says what is lacking.
func (n *Network) spare(c *Call, beside int) *shortage {
	var out outcome
	defer out.settle()
	n.mu.Lock()
	defer n.mu.Unlock()
	for beside >= c.files && n.lacks(1) && n.evict(&out) {
	}
	if beside >= c.files && n.lacks(1) {
		return &shortage{by: descriptors, used: n.files, needs: 1, of: n.options.Descriptors}
	}
	n.holds(c, max(c.files, beside+1))
	return nil
}

// serveStarved gives room under the bounds of all to the hosts that wait for it, one connection each in
// turn. The lock is held.
func (n *Network) serveStarved(out *outcome) {
	for len(n.starved) > 0 {
		h := n.starved[0]
		b := n.serveFirst(h, out)
		if b.everywhere() {
			return
		}
		n.starved = n.starved[1:]
		h.starved = b == unbound && len(h.queue) > 0
		if h.starved {
			n.starved = append(n.starved, h)
		}
	}
}

// serveFirst serves the first of a host's queue, or says what it waits for. Those that wait for an HTTP/2 connection
// that is being made are passed over; where all do, it is that. The lock is held.
func (n *Network) serveFirst(h *host, out *outcome) bound {
	for _, w := range h.queue {
		p, b := n.try(w.want, out)
		if b == shares {
			continue
		}
		if b == unbound {
			h.serveNow(w, p, out)
		}
		return b
	}
	return shares
}
