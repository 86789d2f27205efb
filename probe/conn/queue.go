package conn

import "slices"

// permit is what acquire gives: a connection at hand, or leave to make one.
type permit struct {
	shelf *shelf
	link  *link // nil is leave to make one
	// reused is true when the link has carried a request before.
	reused bool
	err    error
}

// want is what a call asks the pool for.
type want struct {
	shelf *shelf
	// fresh wants a new connection.
	fresh bool
	// kept is of a call that has had its turn.
	kept bool
	call *Call
}

// waiter is a want in the queue of its host.
type waiter struct {
	want
	ready chan permit // of one
	// Under Network.mu.
	served bool
	permit permit
}

// atHand gets a connection that can be used, or leave to make one. Nobody watches an idle HTTP/1 connection:
// whether the peer has ended it, or has said something unasked, shows when it is taken, or when it is asked.
func (c *Call) atHand(r *Route, o wish) permit {
	var p permit
	if o.dead != nil {
		p = c.net.instead(want{shelf: o.dead.shelf, fresh: o.fresh, kept: true, call: c}, o.dead)
	} else {
		p = c.net.acquire(c, r, o.fresh, o.raw)
	}
	for p.link != nil && !p.link.h2 {
		if c.x.unlooked = !o.looks && p.link.asks(); c.x.unlooked || p.link.quiet() {
			break
		}
		p = c.net.instead(want{shelf: p.shelf, fresh: o.fresh, kept: true, call: c}, p.link)
	}
	return p
}

// acquire gets a connection, or leave to make one, in the order of asking. It returns early when the
// call is cut.
func (n *Network) acquire(c *Call, r *Route, fresh, raw bool) permit {
	return n.await(n.ask(c, r, fresh, raw))
}

// ask is what acquire can have now, or a place in the queue.
func (n *Network) ask(c *Call, r *Route, fresh, raw bool) (permit, *waiter) {
	var out outcome
	defer out.settle()
	n.mu.Lock()
	defer n.mu.Unlock()
	w := want{shelf: n.shelf(r, raw), fresh: fresh, call: c}
	if u := n.useOf(r); u != nil {
		u.active = true
	}
	return n.obtain(w, len(w.shelf.host.queue) == 0, &out)
}

// instead gets what can take the place of a connection that proves dead. The call keeps its turn.
func (n *Network) instead(w want, dead *link) permit {
	return n.await(n.askInstead(w, dead))
}

// askInstead is what instead can have now, or a place in the queue.
func (n *Network) askInstead(w want, dead *link) (permit, *waiter) {
	var out outcome
	defer out.settle()
	n.mu.Lock()
	defer n.mu.Unlock()
	dead.call.Store(nil)
	dead.active--
	n.discard(dead, &out)
	return n.obtain(w, true, &out)
}

// obtain serves a want at once, if it is its turn, or gives it a place in the queue. The lock is held.
func (n *Network) obtain(w want, turn bool, out *outcome) (permit, *waiter) {
	if turn {
		if p, b := n.try(w, out); b == unbound {
			return p, nil
		}
	}
	wt := &waiter{want: w, ready: make(chan permit, 1)}
	w.shelf.host.enqueue(wt)
	n.serveAll(w.shelf.host, out)
	if !wt.served {
		n.waits(w, w.awaits())
	}
	return permit{}, wt
}

// await is what was had at once or, with a place in the queue, waits for what that gives. What is given to a call
// that has gone is given back.
func (n *Network) await(now permit, w *waiter) permit {
	if w == nil {
		return now
	}
	w.call.queues()
	select {
	case p := <-w.ready:
		w.call.waitIsOver()
		return p
	case <-w.call.ctx.Done():
	}
	served := false
	n.change(w.shelf.host, func(*outcome) {
		if served = w.served; !served {
			n.waits(w.want, w.awaits())
		}
		w.call.waitIsOver()
		w.shelf.host.dequeue(w) // who needs less than w did may be served now
	})
	if served {
		n.giveBack(w.want, <-w.ready)
	}
	return permit{err: w.call.cut()}
}

// giveBack returns a permit that was not used.
func (n *Network) giveBack(w want, p permit) {
	switch {
	case p.err != nil:
	case p.link == nil:
		n.abandon(w)
	default:
		if p.link.h2 {
			p.link.cc.Release()
		}
		p.link.finish(w.call, true)
	}
}

// abandon gives back the leave to make a connection.
func (n *Network) abandon(w want) {
	n.change(w.shelf.host, func(*outcome) {
		n.made(w)
		w.shelf.h2 = false // those who wait for this connection had better make their own
		n.freed(w.shelf)
	})
}

// made ends the making of a connection. The lock is held.
func (n *Network) made(w want) {
	delete(n.dialers, w.call)
	n.holds(w.call, 0)
	if !w.fresh {
		w.shelf.making--
	}
}

// change does f under the lock, serves those whom the change may help, and then closes what went.
func (n *Network) change(h *host, f func(out *outcome)) {
	var out outcome
	defer out.settle()
	n.account(h, f, &out)
}

// account does f and serves those whom that may help. A panic lets go of the lock, which all attempts need.
func (n *Network) account(h *host, f func(out *outcome), out *outcome) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f(out)
	n.serveAll(h, out)
}

// serveAll serves those whom a change at a host may help. The lock is held.
func (n *Network) serveAll(h *host, out *outcome) {
	n.serveStarved(out)
	n.serve(h, out)
}

// aside is change on a goroutine that serves no attempt. That a connection panics when it is closed harms nobody;
// a panic in the account, which is everybody's, ends the process.
func (n *Network) aside(h *host, f func(out *outcome)) {
	var out outcome
	n.account(h, f, &out)
	defer n.guard()
	out.settle()
}

// outcome is what is left to do once the lock is released: first connections to close, then waiters to
// hand their permits to, so that none makes a connection before the one that made room has gone.
type outcome struct {
	close  []*link
	served []*waiter
}

func (o *outcome) settle() {
	defer o.handOn()
	o.closeAll()
}

// closeAll closes each of the connections, also when closing one panics.
func (o *outcome) closeAll() {
	if len(o.close) == 0 {
		return
	}
	l := o.close[0]
	o.close = o.close[1:]
	defer o.closeAll()
	l.close()
}

func (o *outcome) handOn() {
	for _, w := range o.served {
		w.ready <- w.permit
	}
}

// serveNow gives a waiter its permit. The lock is held.
func (h *host) serveNow(w *waiter, p permit, out *outcome) {
	w.permit, w.served = p, true
	out.served = append(out.served, w)
	h.dequeue(w)
}

// enqueue has a waiter wait behind all others, or, where it has had its turn, behind those that have had theirs, too.
func (h *host) enqueue(w *waiter) {
	w.shelf.putBack() // trying may have let go of it
	at := len(h.queue)
	if w.kept {
		at = h.turns()
	}
	h.queue = slices.Insert(h.queue, at, w)
	w.shelf.queued++
	h.waiting.Store(int32(len(h.queue)))
}

// turns is how many of those who have had their turn are at the head of the queue.
func (h *host) turns() int {
	if i := slices.IndexFunc(h.queue, func(w *waiter) bool { return !w.kept }); i >= 0 {
		return i
	}
	return len(h.queue)
}

func (h *host) dequeue(w *waiter) {
	if i := slices.Index(h.queue, w); i >= 0 {
		h.queue = slices.Delete(h.queue, i, i+1)
		w.shelf.queued--
	}
	h.waiting.Store(int32(len(h.queue)))
	w.shelf.tidy()
}

// failAll ends the waiting of all. The lock is held.
func (h *host) failAll(err error) {
	for _, w := range h.queue {
		w.served = true
		w.ready <- permit{err: err}
	}
	h.queue = nil
	h.waiting.Store(0)
}

// serve serves the host's queue from its head. One that waits for an HTTP/2 connection that is being
// made lets others pass; one that waits for room does not. The lock is held.
func (n *Network) serve(h *host, out *outcome) {
	for i := 0; i < len(h.queue); {
		w := h.queue[i]
		switch p, b := n.try(w.want, out); b {
		case unbound:
			h.serveNow(w, p, out)
		case shares:
			i++
		default:
			return
		}
	}
}
