package conn

import "errors"

// asker is a connection that is looked at, written to and waited for in one go. Whoever does these one after the other
// asks the kernel once more: he has to see first that there is no answer yet before he waits for one.
type asker interface {
	// ask looks whether the connection is quiet, writes p, tells the call once all of it is written, and waits until
	// there is something to read, or an end. It waits only if it could tell the call. It returns how much was
	// written: less than all, and no error, when the connection takes no more at once. errStirred is a connection
	// that was not quiet; nothing was written then.
	ask(c *Call, p []byte) (n int, told bool, err error)
}

// errStirred is a kept connection that its peer has ended, or has said something unasked on.
var errStirred = errors.New("the connection is not quiet")

// asks is true of a connection that can be asked.
func (l *link) asks() bool {
	_, ok := l.Conn.(asker)
	return ok
}

// ask asks on a connection that has been idle; see asker.
func (l *link) ask(c *Call, p []byte) (n int, told bool, err error) {
	if !l.enter() {
		return 0, false, errStirred
	}
	defer l.leave()
	l.reading.Store(true)
	n, told, err = l.Conn.(asker).ask(c, p)
	l.reading.Store(false)
	if err != nil {
		l.dead.Store(true)
	}
	return n, told, err
}

// trySent is sent, of the hop in progress. It is false, and has done nothing, while somebody else has the call's lock: he
// may be about to close the socket, and wait for us.
func (c *Call) trySent(n int) bool {
	if !c.mu.TryLock() {
		return false
	}
	defer c.mu.Unlock()
	c.sentAll(c.hop, n)
	return true
}
