package conn

import (
	"io"
	"net/http"
	"net/http/httptrace"
)

// send2 makes the exchange on HTTP/2 up to the complete response header.
func (c *Call) send2(l *link, r *Route, req *http.Request) (*http.Response, error) {
	s := c.give(l)
	out := req.WithContext(s)
	if hasBody(req) {
		s.body = lent{req.Body, c}
		out.Body = &s.body
	}
	out.Close = out.Close || !r.Connection.Reuse
	resp, err := l.cc.RoundTrip(out)
	if err != nil {
		c.failedAt(l.frames.whole(c.stream()))
		err = c.failed(err)
		c.x.broken = l.cc.Err() != nil
		c.leave(l, false)
		return nil, err
	}
	c.answered(c.now())
	resp.Request = req
	if resp.Body == http.NoBody {
		c.leave(l, true)
		return resp, nil
	}
	c.body = &body{call: c, link: l, rc: resp.Body, length: resp.ContentLength}
	resp.Body = c.body
	return resp, nil
}

// wroteRequest hears from the HTTP/2 client that it has written, or that it thinks so; see link.writeFrames.
func (s *sending) wroteRequest(i httptrace.WroteRequestInfo) {
	defer s.call.guard()
	if i.Err == nil && s.link.frames.whole(s.stream) {
		s.call.sent(s.hop, 0)
	}
}

// lent is a body of the caller's that the HTTP/2 client reads, on a goroutine of its own.
type lent struct {
	io.ReadCloser
	call *Call
}

// Read reads.
func (b *lent) Read(p []byte) (n int, err error) {
	defer b.call.caught(&err)
	return b.ReadCloser.Read(p)
}

// Close closes.
func (b *lent) Close() (err error) {
	defer b.call.caught(&err)
	return b.ReadCloser.Close()
}

// stream is the exchange's stream on an HTTP/2 connection, nil before it began.
func (c *Call) stream() *stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x.stream
}
