package conn

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
)

// send2 makes the exchange on HTTP/2 up to the complete response header.
func (c *Call) send2(l *link, r *Route, req *http.Request) (*http.Response, error) {
	s := c.sending(l)
	out := req.WithContext(s)
	if hasBody(req) {
		s.body = lent{req.Body, c}
		out.Body = &s.body
	}
	out.Close = out.Close || !r.Connection.Reuse
	c.x.given = true
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

// sending is the context of a request in progress: the call's, with the hooks by which the HTTP/2 client
// tells of the request's progress.
type sending struct {
	context.Context
	trace context.Context
	hooks httptrace.ClientTrace
	call  *Call
	link  *link
	hop   int
	body  lent
	// What is announced. The HTTP/2 client writes a request on one goroutine.
	announced bool
	stream    *stream
}

// Value is the trace's value, or the call's.
func (s *sending) Value(key any) any {
	if v := s.trace.Value(key); v != nil {
		return v
	}
	return s.Context.Value(key)
}

// sending makes the context of a request on l.
func (c *Call) sending(l *link) *sending {
	s := &sending{Context: c.ctx, call: c, link: l, hop: c.hop}
	s.hooks.WroteRequest, s.hooks.WroteHeaderField = s.wroteRequest, s.announces
	s.trace = httptrace.WithClientTrace(context.Background(), &s.hooks)
	return s
}

// announces ties the request to the stream that begins next. It is called for each field of the header
// before any of it goes out: an answer may come before the HTTP/2 client tells that it has written.
func (s *sending) announces(string, []string) {
	defer s.call.guard()
	if s.announced {
		return
	}
	s.announced = true
	s.stream = s.call.newStream(s.hop)
	s.link.frames.announce(s.stream)
}

// newStream is the stream of a hop, before it begins; nil when the hop is over.
func (c *Call) newStream(hop int) *stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hop != hop || c.x.left || c.ended {
		return nil
	}
	c.x.stream = &stream{call: c}
	return c.x.stream
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
