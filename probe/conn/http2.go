package conn

import (
	"net/http"
	"net/http/httptrace"
)

// send2 makes the exchange on HTTP/2 up to the complete response header.
func (c *Call) send2(l *link, r *Route, req *http.Request) (*http.Response, error) {
	out := req.WithContext(c.give(l))
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

// wroteRequest hears from the HTTP/2 client that it has written.
func (s *sending) wroteRequest(i httptrace.WroteRequestInfo) {
	if i.Err == nil {
		s.call.sent(s.hop, 0)
	}
}

// stream is the exchange's stream on an HTTP/2 connection, nil before it began.
func (c *Call) stream() *stream {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.x.stream
}
