package script

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
)

// RoundTrip sends the request once, as the real network does, and answers as the script's next step says.
func (c *call) RoundTrip(r *conn.Route, req *http.Request, fresh bool) (*http.Response, error) {
	if c.body != nil {
		c.body.end(true)
	}
	if err := c.connect(r, fresh || !r.Connection.Reuse); err != nil {
		return nil, err
	}
	c.route = r
	if len(c.step.Talk) > 0 || c.step.Hang == atTalk || c.step.Reset == atTalk || c.step.Cut == atTalk {
		c.complain("", "has a talk, which is of tcp probes alone")
	}
	c.send(req)
	if err := c.await(); err != nil {
		c.lose()
		return nil, err
	}
	return c.answer(r, req), nil
}

// send writes the request, which takes no time.
func (c *call) send(req *http.Request) {
	if req.Body != nil {
		io.Copy(io.Discard, req.Body)
		req.Body.Close()
	}
	c.net.requests++
	c.written = true
	c.enter(probe.PhaseWait)
	c.run(sockRead)
}

// await is phase wait: it ends when the response header is complete.
func (c *call) await() error {
	s := c.step
	if err := c.wait(time.Duration(s.Delay.Header)); err != nil {
		return err
	}
	switch {
	case s.Hang == atHeader:
		return c.hang()
	case s.Stale:
		return c.unanswered(io.EOF)
	case s.H2 != "":
		return c.http2()
	case c.leftover():
		return c.fail(probe.ReasonStaleConnection, fmt.Errorf("what came on the kept connection is no answer, it begins with %.5q", s.NotHTTP))
	case s.NotHTTP != "":
		c.received = true
		return c.fail(probe.ReasonProtocolError, notHTTP(s.NotHTTP))
	}
	if err, is := s.broken(atHeader); is {
		return c.unanswered(err)
	}
	c.received = true
	c.run(sockRead)
	if s.Hang == atMidHeader {
		return c.hang()
	}
	if err, is := s.broken(atMidHeader); is {
		return c.fail(probe.ReasonHeaderTruncated, tell(err, "%s in the middle of the response header", c.ending(err)))
	}
	return nil
}

// ending is how who was asked has ended the connection: a proxy, where that passes requests on.
func (c *call) ending(err error) string {
	if r := c.route; r.Proxy != nil && !r.Tunnels() {
		return strings.Replace(peer(err), "the peer", "the proxy "+r.Proxy.Address, 1)
	}
	return peer(err)
}

// unanswered is of a connection that ends without a byte of an answer.
func (c *call) unanswered(err error) error {
	if c.reused {
		return c.fail(probe.ReasonStaleConnection, tell(err, "%s, which had been kept, before answering", c.ending(err)))
	}
	return c.fail(probe.ReasonDisconnected, tell(err, "%s before answering", c.ending(err)))
}

// leftover is true when what comes is no answer, and may be the rest of what the kept connection carried before.
func (c *call) leftover() bool { return c.step.NotHTTP != "" && c.reused && !c.link.h2 }

// notHTTP is of an answer that is none.
func notHTTP(text string) error {
	line, _, _ := strings.Cut(text, "\n")
	return fmt.Errorf("the answer is not HTTP: %q", strings.TrimSuffix(line, "\r"))
}

// http2 is what HTTP/2 can do instead of answering.
func (c *call) http2() error {
	if !c.link.h2 {
		c.complain("h2", "never happens: the request goes out by HTTP/1.1")
	}
	switch c.step.H2 {
	case "refused":
		c.refused = true
		return c.fail(probe.ReasonH2Refused, errors.New("the peer refused the request unprocessed (REFUSED_STREAM)"))
	case "stream_reset":
		return c.fail(probe.ReasonH2StreamReset, errors.New("the peer reset the stream before answering (INTERNAL_ERROR)"))
	}
	return c.fail(probe.ReasonH2Goaway, errors.New("the peer ended the connection with a GOAWAY before answering (NO_ERROR)"))
}

// lose gives a connection up whose exchange has failed, unless HTTP/2 can go on with it.
func (c *call) lose() {
	c.rest(sockRead)
	l := c.link
	switch {
	case c.leftover(): // says nothing of the others that are kept
	case c.fault != nil && c.fault.reason == probe.ReasonStaleConnection:
		c.net.flush(l.key.address)
	case !l.h2:
	case c.fault != nil && (c.refused || c.fault.reason == probe.ReasonH2StreamReset):
		c.net.keep(l)
	case c.fault == nil && (c.received || !c.reused): // else it may be a black hole
		c.net.keep(l)
	}
}

// answer is the response; phase transfer begins.
func (c *call) answer(r *conn.Route, req *http.Request) *http.Response {
	s := c.step
	c.rest(sockRead)
	c.enter(probe.PhaseTransfer)
	resp := &http.Response{
		StatusCode: s.status(), Status: fmt.Sprintf("%d %s", s.status(), http.StatusText(s.status())),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: s.header(), Request: req,
	}
	if c.link.h2 {
		resp.Proto, resp.ProtoMajor, resp.ProtoMinor = "HTTP/2.0", 2, 0
	}
	closes := !c.link.h2 && (strings.EqualFold(resp.Header.Get("Connection"), "close") || req.Close)
	b := &body{call: c, link: c.link, pieces: s.pieces(), length: s.length(), keep: r.Connection.Reuse && !closes}
	resp.ContentLength = s.length()
	switch {
	case resp.StatusCode == http.StatusSwitchingProtocols:
		resp.Body, b.keep, resp.ContentLength = http.NoBody, false, 0
		b.leave(true)
		return resp
	case req.Method == http.MethodHead || bodiless(s.status()), resp.ContentLength == 0:
		resp.Body = http.NoBody
		b.leave(true)
	default:
		b.keep = b.keep && (resp.ContentLength >= 0 || c.link.h2)
		resp.Body, c.body = b, b
	}
	if resp.ContentLength >= 0 && !bodiless(s.status()) {
		resp.Header.Set("Content-Length", fmt.Sprint(resp.ContentLength))
	}
	return resp
}

// header is the header of the response.
func (s *Step) header() http.Header {
	h := http.Header{}
	for name, values := range s.Headers {
		for _, v := range values {
			h.Add(name, v)
		}
	}
	return h
}

// breaksOff is true of a body that does not come to its end.
func (s *Step) breaksOff() bool { return s.Hang == atBody || s.Reset == atBody || s.Cut == atBody }

// length is the announced length of the body: of one that breaks off a byte more than comes.
func (s *Step) length() int64 {
	if s.Unannounced {
		return -1
	}
	n := int64(0)
	for i := range s.Body {
		n += int64(len(s.Body[i].Text) * s.Body[i].times())
	}
	if s.breaksOff() {
		n++
	}
	return n
}

// pieces are the pieces of the body. Of an announced one the pauses after its end are none of it.
func (s *Step) pieces() []Piece {
	p := s.Body
	for !s.Unannounced && !s.breaksOff() && len(p) > 0 && p[len(p)-1].Text == "" {
		p = p[:len(p)-1]
	}
	return p
}
