package conn

import (
	"net/http"
	"slices"
	"time"

	"sonde/probe"
)

// RoundTrip sends the request once, on a kept connection of the route or, with fresh or where none is
// kept, on a new one, and returns when the response header is complete. It adds nothing to the request
// but what the protocol demands. The body must be read or closed; reading obeys the limits, closing
// drains within a bound so that the connection can be kept. A call may make several round trips, one
// after the other, as redirects demand; the limit connect runs anew for each, total over all. The
// request's own context is not looked at: Start's governs. A body that is sent must be at hand: no limit
// ends the reading of it.
func (c *Call) RoundTrip(r *Route, req *http.Request, fresh bool) (*http.Response, error) {
	req = r.asked(req)
	if c.body != nil {
		c.body.Close()
	}
	w := wish{fresh: fresh || !r.Connection.Reuse, looks: hasBody(req)}
	for {
		l, err := c.connect(r, w)
		switch {
		case err != nil:
			return nil, err
		case l.h2:
			return c.send2(l, r, req)
		}
		resp, err := c.send1(l, r, req)
		if err != errStirred {
			return resp, err
		}
		w.dead = l
	}
}

// wish is which connection is wanted.
type wish struct {
	fresh bool  // a new one
	raw   bool  // for a protocol of the kind's own
	looks bool  // one that is known to be quiet; else whoever writes to it may look
	dead  *link // in the place of this
}

// connect gets a connection: one at hand, or a new one.
func (c *Call) connect(r *Route, o wish) (*link, error) {
	if cut := c.begin(r); cut != nil {
		if o.dead != nil {
			o.dead.finish(c, false)
		}
		return nil, cut
	}
	p := c.atHand(r, o)
	if p.err != nil {
		return nil, c.failed(p.err)
	}
	if p.link != nil {
		c.use(p.link, p.reused)
		return p.link, nil
	}
	return c.makeTracked(want{shelf: p.shelf, fresh: o.fresh, call: c}, r, o.raw)
}

// makeTracked makes a connection and takes it into the account; where that does not come about, be it by a
// panic, it gives back the leave to make one.
func (c *Call) makeTracked(w want, r *Route, raw bool) (*link, error) {
	tracked := false
	defer func() {
		if !tracked {
			c.net.abandon(w)
		}
	}()
	l, err := c.make(w.shelf, r, raw)
	if err != nil {
		return nil, err
	}
	if tracked = c.net.keepTrack(w, l, raw); !tracked {
		l.close()
		return nil, errClosed
	}
	return l, nil
}

// keepTrack takes a new connection into the account, and lets others share it where it can be shared.
func (n *Network) keepTrack(w want, l *link, raw bool) bool {
	open := false
	n.change(w.shelf.host, func(*outcome) {
		if open = !n.closed; !open {
			return
		}
		n.made(w)
		n.links[l] = struct{}{}
		n.files++
		l.listed.Store(true)
		if raw {
			return
		}
		w.shelf.h2 = l.h2
		if !w.shelf.key.connection.Reuse {
			return
		}
		l.shelf = w.shelf
		if l.h2 {
			l.cc.Reserve()
			w.shelf.shared = append(w.shelf.shared, l)
		}
	})
	return open
}

// use notes the connection that the exchange is on.
func (c *Call) use(l *link, reused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	c.x.link, c.x.reused = l, reused
	c.address, c.facts = l.address, l.facts
	if !l.h2 {
		c.limits.rest(connect) // the request goes out at once
	}
	c.limits.rest(sockConnect)
	if !c.past(now) {
		c.enter(probe.PhaseWrite, now)
	}
	c.x.upload = true
	c.raw = l.socket
	c.limits.armSoon(sockRead, c.unstarvedAt(now))
	if c.isCut() {
		c.cutOff(l)
	}
}

// sent tells that the last n bytes of a hop's request have gone out: the call moves from write to wait, and
// sock_read starts.
func (c *Call) sent(hop, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sentAll(hop, n)
}

// sentAll is sent. The lock is held.
func (c *Call) sentAll(hop, n int) {
	if c.ended || c.hop != hop {
		return
	}
	now := c.now()
	if n > 0 {
		c.x.wrote(n, now)
	}
	c.x.upload = false
	if c.phase == probe.PhaseWrite && !c.past(now) {
		c.writeOver(now)
	}
	if !c.x.header || c.x.reading {
		c.runLimit(sockRead, now)
	}
}

// answered moves to transfer: the response header is complete, as of now or, where now is 0, of the bytes that came
// last.
func (c *Call) answered(now time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now == 0 {
		now = max(c.x.heardAt, c.since)
	}
	if c.past(now) {
		return
	}
	if c.phase == probe.PhaseWrite {
		c.writeOver(now)
	}
	c.x.header = true
	c.limits.rest(sockRead)
	c.enter(probe.PhaseTransfer, now)
}

// failedAt settles the phase of an exchange that has failed before its answer was complete. The connection's
// end may be heard of before it is noticed that the last write is done, that is, that the request went out
// whole.
func (c *Call) failedAt(whole bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	c.goesOut(now)
	if whole && c.phase == probe.PhaseWrite && !c.past(now) && !c.isCut() {
		c.writeOver(now)
	}
}

// leave ends the use of a connection by the exchange; ok is false when the exchange did not come to its
// proper end.
func (c *Call) leave(l *link, ok bool) {
	s := c.endExchange()
	if s != nil {
		l.frames.forget(s)
	}
	switch {
	case !ok && c.wentStale():
		l.net.flush(l.from.host)
	case !ok && l.h2 && c.cut() != nil && (l.frames.fateOf(s).silent || l.balks()):
		l.dead.Store(true) // it may be a black hole, or is one for what we send: the next attempt makes its own
		l.rude.Store(true)
	}
	l.finish(c, ok || l.h2)
}

// endExchange notes that the exchange is over, and returns its stream. The stream is to be forgotten before the
// frames are asked with the call's lock held (see Network).
func (c *Call) endExchange() *stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unstuck()
	c.limits.rest(sockRead)
	return c.x.stream
}

// wentStale is true when the exchange failed by itself, and because its kept connection had died.
func (c *Call) wentStale() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x.reused && c.cut() == nil && c.died()
}

// flush drops the idle connections of a host one of which has proved stale.
func (n *Network) flush(h *host) {
	n.change(h, func(out *outcome) {
		for _, s := range slices.Clone(h.shelves) { // the last connection of one takes it with it
			for _, l := range append(append([]*link(nil), s.idle...), s.shared...) {
				if l.active == 0 {
					n.discard(l, out)
				}
			}
		}
	})
}
