package conn

import (
	"errors"
	"io"
	"time"
)

// How much of a body that nobody wants is read, and how long it may take, for the sake of keeping the connection.
const (
	DrainBytes = 64 << 10
	DrainTime  = 50 * time.Millisecond
)

// body is a response body: reading it obeys the limits, and its end gives the connection back.
type body struct {
	call *Call
	link *link
	rc   io.ReadCloser
	h1   *http1 // of HTTP/1
	done bool
	// sized is what rc is, where it is known how long the body is and how much has come; else nil.
	sized *sized
	// What has been read, and what was announced, below 0 when nothing was.
	got, length int64
}

// Read reads. sock_read runs while it waits.
func (b *body) Read(p []byte) (int, error) {
	if b.done {
		return 0, io.EOF
	}
	n, err := b.read(p)
	b.got += int64(n)
	switch {
	case err == nil:
		return n, nil
	case err == io.EOF:
		b.leave(true)
		return n, err
	}
	b.call.broke()
	return n, b.call.failed(err)
}

// read reads. What has come already is not waited for.
func (b *body) read(p []byte) (int, error) {
	if b.sized != nil && !b.sized.waits() {
		return b.rc.Read(p)
	}
	b.call.waiting(true)
	defer b.call.waiting(false)
	return b.rc.Read(p)
}

// broke says that reading the body has come to a bad end.
func (c *Call) broke() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unstuck()
}

// waiting says that somebody waits for bytes of the body, or has ceased to.
func (c *Call) waiting(yes bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.x.reading = yes
	if !yes || c.x.upload {
		c.limits.rest(sockRead)
		return
	}
	c.runLimit(sockRead, c.now())
}

// Close reads what little may be left, so that the connection can be kept, and gives it back.
func (b *body) Close() error {
	b.end(true)
	return nil
}

// end closes the body; drain says whether it may be worth reading on.
func (b *body) end(drain bool) {
	if b.done {
		return
	}
	b.leave(drain && b.call.ctx.Err() == nil && b.link.shelf != nil && b.drain())
}

// drain reads to the end, and is false when that is too far away. Once the time is over the connection goes, or
// is about to, even if the end has come meanwhile: then it is false, too.
func (b *body) drain() bool {
	t := time.AfterFunc(DrainTime, b.dry)
	_, err := io.CopyN(io.Discard, b.rc, DrainBytes+1)
	return t.Stop() && errors.Is(err, io.EOF)
}

// dry ends the draining.
func (b *body) dry() {
	if b.link.h2 {
		b.rc.Close()
		return
	}
	c := b.call
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.guardCut()
	c.cutOff(b.link)
}

// leave gives the connection back; whole says whether the body was read to its end.
func (b *body) leave(whole bool) {
	if b.done {
		return
	}
	b.done = true
	if b.h1 != nil {
		h1 := b.h1
		b.h1, b.rc, b.sized = nil, nil, nil
		h1.end(whole)
		return
	}
	if !whole {
		b.abandon()
	}
	b.call.leave(b.link, whole)
}

// abandon gives up the rest of the body on HTTP/2.
func (b *body) abandon() {
	defer b.link.unstick(b.call).Stop()
	b.rc.Close()
}
