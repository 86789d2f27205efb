package conn

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"sonde/probe"
)

// upload is the body of a request, and knows when the HTTP client has taken all of it.
type upload struct {
	io.ReadCloser
	left  int64 // below 0 when the length is not known
	taken atomic.Bool
}

// Read reads.
func (u *upload) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if u.left >= 0 {
		u.left -= int64(n)
	}
	if err == io.EOF || u.left == 0 {
		u.taken.Store(true)
	}
	return n, err
}

// uploading watches the body of a request; nil when there is none.
func uploading(req *http.Request) *upload {
	if req.Body == nil || req.Body == http.NoBody {
		return nil
	}
	u := &upload{ReadCloser: req.Body, left: req.ContentLength}
	if req.ContentLength == 0 {
		u.left = -1 // there is a body, so its length is not known
	}
	req.Body = u
	return u
}

// handOverTime bounds how long a write on a connection that has ended is waited for.
const handOverTime = 50 * time.Millisecond

// failedAt settles the phase of an exchange that has failed before its answer was complete. The HTTP client
// may hear of the connection's end before it has noticed that its last write is done.
func (c *Call) failedAt(l *link, u *upload) {
	whole := false
	if l.h2 {
		whole = l.frames.whole(c.stream())
	} else if u == nil || u.taken.Load() {
		whole = l.handedOver()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); whole && c.phase == probe.PhaseWrite && !c.past(now) && c.ctx.Err() == nil {
		c.writeOver(now)
	}
}

// stream is the exchange's stream on an HTTP/2 connection, nil before it began.
func (c *Call) stream() *stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x.stream
}

// handedOver is true when something has been written, and the last write took all that it was given. One
// that is still going on comes to its end soon, for the connection has.
func (l *link) handedOver() bool {
	if l.writing.Load() {
		t := time.NewTimer(handOverTime)
		defer t.Stop()
		for l.writing.Load() {
			select {
			case <-l.wrote:
			case <-t.C:
				return false
			}
		}
	}
	return l.whole.Load()
}

// hand writes to what is below.
func (l *link) hand(p []byte) (int, error) {
	l.writing.Store(true)
	n, err := l.Conn.Write(p)
	l.whole.Store(err == nil)
	l.writing.Store(false)
	select {
	case l.wrote <- struct{}{}:
	default:
	}
	return n, err
}
