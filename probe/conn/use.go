package conn

import "time"

// Use is a prober's claim to the connections of a route. A prober takes one with Network.Use when it is
// made, calls Rest when a run has ended, and Release when it is closed. Without a Use a route's
// connections are kept until their idle timeout.
type Use struct {
	route *Route
	// Under Network.mu.
	shelf  *shelf
	at     int32 // where in shelf.uses
	holds  int32 // how often the route was claimed
	active bool  // a run is going on
}

// Use registers a route that a prober is going to use. The route must not change any more.
func (n *Network) Use(r *Route) *Use {
	var out outcome
	defer out.settle()
	n.mu.Lock()
	defer n.mu.Unlock()
	u := n.useOf(r)
	if u == nil {
		s := n.shelf(r, false)
		u = &Use{route: r, shelf: s, at: int32(len(s.uses))}
		s.uses = append(s.uses, u)
		r.use = u
	}
	u.holds++
	n.serveAll(u.shelf.host, &out) // the claim may have raised the bound of the host
	return u
}

// useOf is the claim to a route, nil when there is none. The lock is held.
func (n *Network) useOf(r *Route) *Use {
	if u := r.use; u != nil && u.route == r && u.shelf.host.net == n {
		return u
	}
	return nil // of a route that was copied, the claim is to the first
}

// Rest says that a run has ended: the route's idle connections are closed unless a probe that may use
// them is in the middle of a run, or due before their idle timeout and before they have grown too old.
func (u *Use) Rest() {
	h := u.shelf.host
	var out outcome
	defer out.settle()
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	u.active = false
	u.shelf.rest(&out)
	h.net.serveAll(h, &out)
}

// Release says that the prober is gone, and does what Rest does.
func (u *Use) Release() {
	h := u.shelf.host
	h.net.change(h, func(out *outcome) {
		if u.holds--; u.holds == 0 {
			u.shelf.drop(u)
			u.route.use = nil
		}
		u.shelf.rest(out)
		u.shelf.tidy()
	})
}

// drop forgets a claim; the last takes its place, for there may be very many. The lock is held.
func (s *shelf) drop(u *Use) {
	last := len(s.uses) - 1
	s.uses[u.at] = s.uses[last]
	s.uses[u.at].at = u.at
	s.uses[last] = nil
	s.uses = s.uses[:last]
}

// rest drops idle connections that nobody is going to use. The lock is held.
func (s *shelf) rest(out *outcome) {
	if len(s.idle)+len(s.shared) == 0 || s.wanted(time.Now()) {
		return
	}
	for _, l := range append(append([]*link(nil), s.idle...), s.shared...) {
		if l.active == 0 {
			s.host.net.discard(l, out)
		}
	}
}

// wanted is true when a probe is in the middle of a run, or due soon enough for what is kept.
func (s *shelf) wanted(now time.Time) bool {
	left, bounded := s.longestLeft()
	for _, u := range s.uses {
		switch {
		case u.active:
			return true
		case u.route.Due == nil:
		case !bounded || u.route.Due(now).Sub(now) < left:
			return true
		}
	}
	return false
}

// longestLeft is for how long the idle connection may be kept that may be for longest; unless bounded, for good.
func (s *shelf) longestLeft() (left time.Duration, bounded bool) {
	for _, links := range [...][]*link{s.idle, s.shared} {
		for _, l := range links {
			if l.active > 0 {
				continue
			}
			d := l.restLeft()
			if d < 0 {
				return 0, false
			}
			left = max(left, d)
		}
	}
	return left, true
}
