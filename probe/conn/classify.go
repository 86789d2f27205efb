package conn

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"reflect"
	"syscall"

	"sonde/probe"
	"sonde/probe/retry"
)

// evidence is how far the request got. The call's lock is held.
func (c *Call) evidence() probe.Evidence {
	l := c.x.link
	if l == nil {
		return probe.NeverSent
	}
	if l.h2 && !c.x.raw {
		return l.frames.fateOf(c.x.stream).evidence()
	}
	switch {
	case c.x.received > 0:
		return probe.Answered
	case c.x.written > 0:
		return probe.Unanswered
	}
	return probe.NeverSent
}

func (f fate) evidence() probe.Evidence {
	switch {
	case !f.went:
		return probe.NeverSent
	case f.stream.answered || f.notHTTP2:
		return probe.Answered
	case f.refused:
		return probe.Refused
	}
	return probe.Unanswered
}

// classify names why the attempt failed, and says whether another is worth it. What cut the attempt
// comes first, then what the kind has found, then the phase and the evidence, and the types of errors
// last. The call's lock is held.
func (c *Call) classify(err error) (probe.Reason, bool) {
	if cut := c.cut(); cut != nil {
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
	switch {
	case c.parent.Err() != nil:
		if errors.Is(cut, retry.ErrDeadline) || errors.Is(cut, retry.ErrBatchDeadline) {
			return probe.ReasonDeadline
		}
		return probe.ReasonCanceled
	case !errors.As(cut, &limit):
		return probe.ReasonCanceled
	case limit.Phase == probe.PhaseQueue && !c.x.awaited:
		return probe.ReasonPoolTimeout
	}
	return limitReasons[limit.Limit]
}

var limitReasons = map[probe.Limit]probe.Reason{
	probe.LimitTotal:       probe.ReasonLimitTotal,
	probe.LimitConnect:     probe.ReasonLimitConnect,
	probe.LimitSockConnect: probe.ReasonLimitSockConnect,
	probe.LimitSockRead:    probe.ReasonLimitSockRead,
}

// reason names a failure that nothing of ours caused.
func (c *Call) reason(err error) probe.Reason {
	if errors.Is(err, errClosed) {
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
	case l == nil:
		return probe.ReasonConfig // of the request, not of the connection
	case c.x.raw:
		return rawReason(l, err)
	case l.h2:
		return c.http2Reason(l.frames.fateOf(c.x.stream), l.end())
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
	case x.received > 0:
		return probe.ReasonProtocolError
	}
	return c.unanswered(end, x.written > 0)
}

// looksHTTP is true while the first bytes of the answer can be the beginning of a status line.
func (x *exchange) looksHTTP() bool {
	n := min(int(x.received), len(x.first))
	return string(x.first[:n]) == "HTTP/"[:n]
}

// unanswered is of a connection that gave no byte of an answer.
func (c *Call) unanswered(end error, went bool) probe.Reason {
	switch {
	case alert(end):
		return probe.ReasonTLSAlert
	case end == nil && !went:
		return probe.ReasonConfig // the HTTP client refused to send such a request
	case end != nil && !gone(end):
		return probe.ReasonProtocolError // TLS broke on our side
	case c.x.reused:
		return probe.ReasonStaleConnection
	}
	return probe.ReasonDisconnected
}

// http2Reason is of an exchange on HTTP/2.
func (c *Call) http2Reason(f fate, end error) probe.Reason {
	switch {
	case f.refused:
		return probe.ReasonH2Refused
	case f.notHTTP2:
		return probe.ReasonProtocolError
	case c.x.header && (f.stream.reset || gone(end)):
		return probe.ReasonBodyTruncated
	case c.x.header:
		return probe.ReasonBodyCorrupt
	case f.stream.reset:
		return probe.ReasonH2StreamReset
	case end != nil && f.goaway && f.went:
		return probe.ReasonH2Goaway
	case f.stream.answered && gone(end):
		return probe.ReasonHeaderTruncated
	case end == nil && f.went:
		return probe.ReasonProtocolError
	}
	return c.unanswered(end, f.went)
}

// died is true when the exchange failed because its kept connection had died.
func (c *Call) died() bool {
	return c.x.link != nil && !c.x.raw && c.x.link.end() != nil && c.reason(nil) == probe.ReasonStaleConnection
}

// gone is true of the errors with which a connection ends when the peer, or the way to it, ends it.
// What a server's close in the middle of an upload looks like is a matter of luck: all are one.
func gone(err error) bool {
	for _, target := range []error{
		io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, net.ErrClosed,
		syscall.ETIMEDOUT, syscall.EHOSTUNREACH, syscall.ENETUNREACH, io.ErrClosedPipe,
	} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// dnsReason names why a lookup failed. Go's resolver hides the errors of its sockets.
func dnsReason(err error) probe.Reason {
	var d *net.DNSError
	var bad *addressError
	switch {
	case errors.As(err, &bad):
		return probe.ReasonConfig
	case local(err):
		return probe.ReasonLocalResource
	case !errors.As(err, &d):
		return probe.ReasonDNSServer
	case d.IsNotFound:
		return probe.ReasonDNSNotFound
	case d.IsTimeout:
		return probe.ReasonDNSTimeout
	case d.IsTemporary:
		return probe.ReasonDNSTemporary
	}
	return probe.ReasonDNSServer
}

var errnos = map[syscall.Errno]probe.Reason{
	syscall.ECONNREFUSED: probe.ReasonConnectRefused,
	syscall.ECONNRESET:   probe.ReasonConnectRefused,
	syscall.ETIMEDOUT:    probe.ReasonConnectTimeout,
	syscall.EACCES:       probe.ReasonConnectDenied,
	syscall.EPERM:        probe.ReasonConnectDenied,
	syscall.EINVAL:       probe.ReasonConnectDenied,
}

// errnoReason names why connecting failed.
func errnoReason(err error) probe.Reason {
	var errno syscall.Errno
	var address *net.AddrError
	var port *net.DNSError
	switch {
	case local(err):
		return probe.ReasonLocalResource
	case errors.As(err, &errno):
		if r, ok := errnos[errno]; ok {
			return r
		}
	case errors.As(err, &address), errors.As(err, &port):
		return probe.ReasonConfig
	}
	return probe.ReasonConnectUnreachable
}

// local is true when something of ours is used up.
func local(err error) bool {
	for _, target := range []error{
		syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.EADDRINUSE, syscall.ENOBUFS, syscall.ENOMEM,
	} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// tlsReason names why a handshake failed.
func tlsReason(err error) probe.Reason {
	var cert *tls.CertificateVerificationError
	var notTLS tls.RecordHeaderError
	switch {
	case errors.As(err, &cert):
		return certReason(cert.Err)
	case errors.As(err, &notTLS):
		return probe.ReasonTLSNotTLS
	case errors.Is(err, errNoH2):
		return probe.ReasonProtocolError
	case alert(err):
		return probe.ReasonTLSAlert
	case gone(err):
		return probe.ReasonTLSClosed
	}
	return probe.ReasonTLSAlert // we could not agree, and told the peer so with an alert
}

func certReason(err error) probe.Reason {
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return probe.ReasonTLSCertExpired
	case errors.As(err, &name):
		return probe.ReasonTLSCertHostname
	case errors.As(err, &authority):
		return probe.ReasonTLSCertUntrusted
	}
	return probe.ReasonTLSCertOther
}

// alert is true of an alert that the peer has sent.
func alert(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error"
}

// The alerts after which another attempt may fare better (RFC 8446, section 6).
const (
	alertInternalError = 80
	alertUserCanceled  = 90
)

// passing is true of an alert that may pass.
func passing(err error) bool {
	n, ok := alertNumber(err)
	return ok && (n == alertInternalError || n == alertUserCanceled)
}

// alertNumber is the number of the alert that the peer has sent. Go's type for it is not exported, but
// it is a number.
func alertNumber(err error) (int, bool) {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "remote error" {
		return 0, false
	}
	v := reflect.ValueOf(op.Err)
	if v.Kind() != reflect.Uint8 {
		return 0, false
	}
	return int(v.Uint()), true
}
