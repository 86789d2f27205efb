package conn

import "time"

// finish ends a call's use of the connection. It is kept when keep is set and it can be.
func (l *link) finish(c *Call, keep bool) {
	l.call.CompareAndSwap(c, nil) // of HTTP/2: the one that made the connection
	var out outcome
	defer out.settle()
	l.net.mu.Lock()
	defer l.net.mu.Unlock()
	l.finished(keep, &out)
	l.net.serveAll(l.from.host, &out)
}

// finished is finish. The lock is held.
func (l *link) finished(keep bool, out *outcome) {
	l.active--
	switch {
	case !l.listed.Load():
	case keep && l.shelf != nil && l.usable():
		l.keep()
	case l.active == 0:
		l.net.discard(l, out)
	case l.shelf != nil:
		l.shelf.unshelve(l)
	}
}

// keep puts the connection on its shelf. The lock is held.
func (l *link) keep() {
	s := l.shelf
	if l.h2 {
		if l.active > 0 {
			return
		}
	} else {
		s.idle = append(s.idle, l)
	}
	l.idleSince = time.Now()
	l.net.idle.push(l)
	l.watchIdle()
}

// watchIdle has the connection dropped when it has been idle for too long or has grown too old. The
// timer is left running while the connection is in use, and looks again. The lock is held.
func (l *link) watchIdle() {
	if l.timed {
		return
	}
	d := l.restLeft()
	if d < 0 {
		return
	}
	l.timed = true
	if l.timer == nil {
		l.timer = time.AfterFunc(d, l.tick)
	} else {
		l.timer.Reset(d)
	}
}

// unwatchIdle lets go of the timer, which would hold the connection until it fires, long after that has gone. One that
// is firing finds it dead. The lock is held.
func (l *link) unwatchIdle() {
	if l.timer != nil {
		l.timer.Stop()
	}
}

// restLeft is how long the connection may stay idle from now, below 0 when there is no bound.
func (l *link) restLeft() time.Duration {
	now, left := time.Now(), time.Duration(-1)
	bound := func(d time.Duration) {
		if d = max(0, d); left < 0 || d < left {
			left = d
		}
	}
	c := l.shelf.key.connection
	if c.IdleTimeout > 0 {
		bound(c.IdleTimeout - now.Sub(l.idleSince))
	}
	if c.MaxAge > 0 {
		bound(c.MaxAge - now.Sub(l.born))
	}
	return left
}

func (l *link) tick() {
	l.net.aside(l.from.host, func(out *outcome) {
		l.timed = false
		if l.active > 0 || l.dead.Load() {
			return
		}
		if l.restLeft() == 0 {
			l.net.discard(l, out)
			return
		}
		l.watchIdle()
	})
}

// changed tells that an HTTP/2 connection takes more streams than before, or has ended.
func (l *link) changed() {
	if l.from.host.waiting.Load() > 0 && l.net.hold() {
		go func() {
			defer l.net.open.Done()
			l.net.aside(l.from.host, func(*outcome) {})
		}()
	}
}
