package conn

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// http1 is an exchange on an HTTP/1 connection. The goroutine of the attempt makes it: it writes the request
// and then reads the answer. The buffers are lent to it for as long as it lasts, so that a connection at rest
// holds neither a buffer nor a goroutine.
type http1 struct {
	call *Call
	link *link
	in   *bufio.Reader
	out  bytes.Buffer
	// left is how many bytes of headers may still come; below 0 is any number, of a body.
	left     int
	unlooked bool      // whether the connection is quiet has yet to be seen
	upload   *upload   // writes what is more than one write takes; nil when there was only one
	refused  error     // why that one did not go out
	keeps    bool      // both sides are willing to keep the connection
	plain    *response // the answer, nil where http.ReadResponse has read it
}

// Sizes of an exchange. The reader's also bounds a trailer.
const (
	readSize = 4 << 10
	// atOnce is how much of a request is written at once, in one piece, without looking whether an answer
	// comes meanwhile: what the kernel takes without waiting for the peer.
	atOnce = 16 << 10
)

var exchanges = sync.Pool{New: func() any {
	x := &http1{}
	x.in = bufio.NewReaderSize(x, readSize)
	return x
}}

// http1 begins an exchange on a connection.
func (c *Call) http1(l *link) *http1 {
	x := exchanges.Get().(*http1)
	x.call, x.link, x.left, x.unlooked = c, l, maxHeader, c.x.unlooked
	x.in.Reset(x)
	return x
}

// end ends the exchange; whole says that its answer was read to the end. The connection is kept if nothing
// of the exchange is left on it.
func (x *http1) end(whole bool) {
	c, l := x.call, x.link
	ok := whole && x.keeps && x.refused == nil && l.pending == nil && x.in.Buffered() == 0 && x.upload.went()
	x.release()
	c.leave(l, ok)
}

// release gives the buffers back.
func (x *http1) release() {
	in, out := x.in, x.out
	in.Reset(nil)
	if out.Reset(); out.Cap() > 2*atOnce {
		out = bytes.Buffer{}
	}
	*x = http1{in: in, out: out}
	exchanges.Put(x)
}

// send1 makes the exchange on HTTP/1 up to the complete response header.
func (c *Call) send1(l *link, r *Route, req *http.Request) (*http.Response, error) {
	x := c.http1(l)
	resp, err := x.exchange(closing(req, r))
	if err == errStirred {
		x.release()
		return nil, err
	}
	if err != nil {
		err = x.failed(err)
		x.end(false)
		return nil, err
	}
	c.answered(0)
	resp.Request = req
	if resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body = http.NoBody // what follows is of another protocol, which we do not speak
	}
	if resp.Body == http.NoBody {
		x.end(true)
		return resp, nil
	}
	c.body = x.body(resp)
	resp.Body = c.body
	return resp, nil
}

// body is that of the answer.
func (x *http1) body(resp *http.Response) *body {
	if h := x.plain; h != nil {
		h.body = body{call: x.call, link: x.link, rc: resp.Body, h1: x, length: resp.ContentLength, sized: &h.sized}
		return &h.body
	}
	return &body{call: x.call, link: x.link, rc: resp.Body, h1: x, length: resp.ContentLength}
}

// closing is the request, which says so when the connection is not to be kept.
func closing(req *http.Request, r *Route) *http.Request {
	if r.Connection.Reuse || req.Close {
		return req
	}
	out := new(http.Request)
	*out = *req
	out.Close = true
	return out
}

func (x *http1) exchange(req *http.Request) (*http.Response, error) {
	if err := x.write(req); err != nil {
		return nil, err
	}
	resp, err := x.answer(req)
	if err != nil {
		return nil, err
	}
	x.keeps = !req.Close && !resp.Close && resp.StatusCode >= 200
	return resp, nil
}

// answer reads the header of the answer. Those of status 1xx that come before it are passed over; their
// bytes count with it.
func (x *http1) answer(req *http.Request) (*http.Response, error) {
	for {
		resp, err := x.next(req)
		switch {
		case err != nil && x.left == 0:
			return nil, errHeader
		case err != nil:
			return nil, err
		case resp.StatusCode < 100 || resp.StatusCode > 199 || resp.StatusCode == http.StatusSwitchingProtocols:
			x.left = -1
			return resp, nil
		}
	}
}

// next reads the next header.
func (x *http1) next(req *http.Request) (*http.Response, error) {
	if _, err := x.in.Peek(1); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if x.plain = readResponse(x.in, req); x.plain != nil {
		return &x.plain.Response, nil
	}
	return http.ReadResponse(x.in, req)
}

// errHeader is an answer whose header does not end in time.
var errHeader = fmt.Errorf("its header is longer than %d bytes", maxHeader)

// Read reads from the connection for the buffer.
func (x *http1) Read(p []byte) (int, error) {
	if x.left < 0 {
		return x.link.Read(p)
	}
	if x.left == 0 {
		return 0, errHeader
	}
	n, err := x.link.Read(p[:min(len(p), x.left)])
	x.left -= n
	return n, err
}

// failed is why the exchange failed before its answer was complete: err, or what has caused it.
func (x *http1) failed(err error) error {
	c := x.call
	if u := x.upload; u != nil && !c.isCut() {
		c.failedAt(u.went())
		err = u.because(err)
	}
	if x.refused != nil {
		x.link.ended.CompareAndSwap(nil, &x.refused)
	}
	return c.failed(err)
}
