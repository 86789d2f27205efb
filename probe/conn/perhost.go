package conn

// limit is how many connections to the host may be open, 0 when there is no bound. It is the host's, and the same
// for all who ask: were it each asker's own, one with a bound would wait for as long as those without are busy,
// and they behind it. Those who have claimed the host say what it is, and where nobody has, as of a host that
// redirects alone lead to or that is spoken to in a protocol of the kind's own, all do who ask, or have a connection
// there; where they differ, the lowest bound holds. The lock is held.
func (h *host) limit() int {
	if l, claimed := h.least(true); claimed {
		return l
	}
	l, _ := h.least(false)
	return l
}

// least is the lowest bound of the host's shelves, or of those that are claimed, and whether there is one of them.
func (h *host) least(claimed bool) (least int, found bool) {
	for _, s := range h.shelves {
		if claimed && len(s.uses) == 0 {
			continue
		}
		found = true
		if l := s.key.connection.PerHost; l > 0 && (least == 0 || l < least) {
			least = l
		}
	}
	return least, found
}
