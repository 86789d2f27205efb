package conn

import (
	"io"
	"time"
)

// goodbye is how long TLS may take to say goodbye to a peer: one that reads nothing never takes it.
const goodbye = 250 * time.Millisecond

// farewell closes what is below, in time.
func (l *link) farewell() error {
	if l.Conn != l.socket {
		defer time.AfterFunc(goodbye, l.cutShort).Stop()
	}
	return l.Conn.Close()
}

// cutShort ends the goodbye.
func (l *link) cutShort() {
	defer l.guard()
	l.socket.Close()
}

// broke tells that reading has come to its end. What we closed ourselves proves nothing.
func (l *link) broke(err error) {
	l.dead.Store(true)
	if l.closed.Load() {
		return
	}
	why := &err
	if e := l.unheard.Load(); e != nil && err == io.EOF {
		why = e // the kernel tells one of us, once
	}
	l.ended.CompareAndSwap(nil, why)
	if l.h2 {
		l.unused()
	}
}

// close closes the connection, and the HTTP/2 client on it. It may be called at any time and again.
func (l *link) close() {
	l.dead.Store(true)
	if l.cc != nil {
		l.cc.Close()
	}
	l.Close()
}

// abort closes the connection without a goodbye.
func (l *link) abort() {
	l.rude.Store(true)
	l.Close()
}

// Close closes the connection for the HTTP/2 client, which may hold locks of its own meanwhile: so the
// account is put right elsewhere. Each step is taken whatever becomes of the one before.
func (l *link) Close() (err error) {
	if l.closed.Swap(true) {
		return nil
	}
	if l.h2 {
		defer l.caught(nil, &err)
	}
	l.dead.Store(true)
	l.inside.Add(1)
	defer l.unlist()
	defer l.leave()
	defer func() { err = l.farewell() }()
	if c := l.call.Load(); l.rude.Load() || c != nil && c.isCut() {
		l.socket.Close() // TLS would take its time to say goodbye
	}
	return nil
}

// unlist has a connection that has been closed under us taken out of the account.
func (l *link) unlist() {
	if l.listed.Load() && l.call.Load() == nil && l.net.hold() {
		go func() {
			defer l.net.open.Done()
			l.unused()
		}()
	}
}

// unused takes a connection that nobody uses any more out of the account.
func (l *link) unused() {
	l.net.aside(l.from.host, func(out *outcome) {
		if l.active == 0 {
			l.net.discard(l, out)
		}
	})
}
