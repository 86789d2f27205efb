package conn

import (
	"errors"
	"io"

	"sonde/probe"
)

// evidence is how far the request got. Where a peer does not accept our certificate, or that we have none, the HTTP/2
// client may have written the request or have heard of it before: it counts as written. The call's lock is held.
func (c *Call) evidence() probe.Evidence {
	if e := c.passed(); e == probe.Answered || !c.spurned() {
		return e
	}
	return probe.Unanswered
}

// spurned is true where the peer does not accept what we have shown of ourselves on a new connection. The lock is held.
func (c *Call) spurned() bool {
	return c.x.link != nil && !c.x.raw && !c.x.reused && spurns(c.x.link.end())
}

// passed is how far the request got by what passed on the connection. The lock is held.
func (c *Call) passed() probe.Evidence {
	l := c.x.link
	switch {
	case l == nil:
		return probe.NeverSent
	case c.x.header:
		return probe.Answered
	case l.h2 && !c.x.raw:
		f := l.frames.fateOf(c.x.stream)
		e := f.evidence()
		if e == probe.NeverSent && !f.stream.unsent && c.isCut() && (c.x.stream != nil || c.x.given.mayGo()) {
			e = probe.Unanswered // the HTTP/2 client has let go of it, and may be about to send it
		}
		return e
	}
	switch {
	case c.x.received > 0 && (c.x.raw || !c.x.leftover()):
		return probe.Answered
	case c.x.written > 0 || c.x.writing:
		return probe.Unanswered
	}
	return probe.NeverSent
}

func (f fate) evidence() probe.Evidence {
	switch {
	case f.stream.answered || f.notHTTP2:
		return probe.Answered
	case f.refused:
		return probe.Refused
	case !f.went:
		return probe.NeverSent
	}
	return probe.Unanswered
}

// classify names why the attempt failed, and says whether another is worth it. What cut the attempt
// comes first, then what the kind has found, then the phase and the evidence, and the types of errors
// last. The call's lock is held.
func (c *Call) classify(err, cut error) (probe.Reason, bool) {
	if cut != nil {
		r := c.cutReason(cut)
		return r, r.Transient()
	}
	var f *Failure
	if errors.As(err, &f) {
		return f.Reason, f.Transient
	}
	r := c.reason(err)
	if r == probe.ReasonTLSAlert {
		return r, passing(err)
	}
	return r, r.Transient()
}

// cutReason names what cut the attempt.
func (c *Call) cutReason(cut error) probe.Reason {
	var limit *LimitError
	isLimit, isDeadline := errors.As(cut, &limit), errors.Is(cut, probe.ErrDeadline)
	if isLimit || isDeadline {
		c.lack = c.lacked(limit)
	}
	switch {
	case bugIn(cut) != nil:
		return probe.ReasonInternal
	case c.lateBy > 0 && (isLimit || isDeadline):
		return probe.ReasonProberLate
	case c.lack != nil:
		return c.lack.reason()
	case isLimit:
		return limit.Limit.Reason()
	case isDeadline, errors.Is(cut, probe.ErrBatchDeadline):
		return probe.ReasonDeadline
	}
	return probe.ReasonCanceled
}

// reason names a failure that nothing of ours caused.
func (c *Call) reason(err error) probe.Reason {
	if errors.Is(err, errClosed) || c.net.isShut() {
		return probe.ReasonCanceled
	}
	switch c.phase {
	case probe.PhaseResolve:
		return dnsReason(err)
	case probe.PhaseConnect:
		return errnoReason(err)
	case probe.PhaseTLS:
		return tlsReason(err)
	}
	l := c.x.link
	switch {
	case c.flood(err) != nil:
		return probe.ReasonProtocolError
	case l == nil:
		return probe.ReasonConfig // of the request, not of the connection
	case c.x.raw:
		return rawReason(l, err)
	case l.h2:
		return c.http2Reason(l.frames.fateOf(c.x.stream), l.end(), err)
	}
	return c.http1Reason(l.end())
}

// rawReason is of a kind's own protocol: it knows what an answer is, we only know its end.
func rawReason(l *link, err error) probe.Reason {
	if alert(err) {
		return probe.ReasonTLSAlert
	}
	if gone(err) || l.end() != nil {
		return probe.ReasonDisconnected
	}
	return probe.ReasonProtocolError
}

// http1Reason is of an exchange on HTTP/1, whose connection ended with end, or went on when end is nil.
func (c *Call) http1Reason(end error) probe.Reason {
	x := &c.x
	switch {
	case x.header && gone(end):
		return probe.ReasonBodyTruncated
	case x.header:
		return probe.ReasonBodyCorrupt
	case x.received > 0 && gone(end) && x.looksHTTP():
		return probe.ReasonHeaderTruncated
	case x.leftover():
		return probe.ReasonStaleConnection
	case x.received > 0:
		return probe.ReasonProtocolError
	}
	return c.unanswered(end, x.written > 0)
}

// leftover is true when what came on a kept connection is no answer, and so may be the rest of what the peer has
// said before: it can have been on its way when the request went out. A fresh connection will tell.
func (x *exchange) leftover() bool {
	return x.reused && x.received > 0 && !x.header && !x.looksHTTP()
}

// looksHTTP is true while the first bytes of the answer can be the beginning of a status line.
func (x *exchange) looksHTTP() bool {
	begins := x.beginning()
	return string(begins) == "HTTP/"[:len(begins)]
}

// beginning is the first of the bytes received.
func (x *exchange) beginning() []byte { return x.first[:min(x.received, int64(len(x.first)))] }

// unanswered is of a connection that gave no byte of an answer.
func (c *Call) unanswered(end error, went bool) probe.Reason {
	switch {
	case alert(end):
		return probe.ReasonTLSAlert
	case end == nil && !went && !c.x.broken:
		return probe.ReasonConfig // such a request cannot be sent
	case end == nil && !went, end != nil && !gone(end):
		return probe.ReasonProtocolError // HTTP, or TLS, could not make sense of what came
	case c.x.reused:
		return probe.ReasonStaleConnection
	}
	return probe.ReasonDisconnected
}

// http2Reason is of an exchange on HTTP/2; err is what the HTTP/2 client said.
func (c *Call) http2Reason(f fate, end, err error) probe.Reason {
	switch {
	case f.refused:
		return probe.ReasonH2Refused
	case f.notHTTP2:
		return probe.ReasonProtocolError
	case c.x.header && (f.stream.reset || gone(end) || errors.Is(err, io.ErrUnexpectedEOF)):
		return probe.ReasonBodyTruncated
	case c.x.header:
		return probe.ReasonBodyCorrupt
	case f.stream.reset:
		return probe.ReasonH2StreamReset
	case ofStream(err): // whatever became of the connection meanwhile
		return probe.ReasonProtocolError
	case end != nil && f.goaway && f.went:
		return probe.ReasonH2Goaway
	case f.stream.answered && gone(end):
		return probe.ReasonHeaderTruncated
	case end == nil && f.went:
		return probe.ReasonProtocolError
	}
	return c.unanswered(end, f.went)
}

// streamError is an error of one stream that the HTTP/2 client found in what came. Go's own type is not
// exported; it converts itself to one of the same fields.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (streamError) Error() string { return "stream error" }

func ofStream(err error) bool { return errors.As(err, new(streamError)) }

// died is true when the exchange failed because its kept connection had died.
func (c *Call) died() bool {
	return c.x.link != nil && !c.x.raw && c.x.link.end() != nil && c.reason(nil) == probe.ReasonStaleConnection
}
