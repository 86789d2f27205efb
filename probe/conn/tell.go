package conn

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"sonde/probe"
)

// tell puts into words why the attempt failed. What a peer has sent is quoted, and whole, so that whoever
// knows the credentials in it can mask them before he cuts it short. The call's lock is held.
func (c *Call) tell(reason probe.Reason, err, cut error) error {
	var f *Failure
	text := ""
	switch {
	case cut != nil:
		text = c.tellCut(reason, cut)
	case errors.As(err, &f):
	default:
		text = c.words(reason, err)
	}
	if text == "" {
		return err
	}
	if end := c.x.link.end(); end != nil && !errors.Is(err, end) {
		err = errors.Join(err, end) // HTTP does not always say why it knows no more
	}
	return probe.Reworded(err, text)
}

// tellCut is of an attempt that was cut; empty where the cut speaks for itself.
func (c *Call) tellCut(reason probe.Reason, cut error) string {
	switch {
	case reason == probe.ReasonProberLate && c.unread:
		return cut.Error() + ", but this machine is short of processors, and the peer, which is on it, had not read what was sent"
	case reason == probe.ReasonProberLate:
		return fmt.Sprintf("%v, but sonde itself was late by %v", cut, max(c.lateBy.Round(time.Millisecond), time.Millisecond))
	case reason == probe.ReasonLocalResource, reason == probe.ReasonPoolTimeout:
		return cut.Error() + c.queuedUntil(cut) + c.lack.words()
	case reason == probe.ReasonDeadline:
		return cut.Error() + " while " + c.doing() // a limit says so itself
	}
	return ""
}

// words are of a failure that nothing of ours caused; empty where Go's own will do.
func (c *Call) words(reason probe.Reason, err error) string {
	if c.phase < probe.PhaseWrite {
		return connectionWords(c.phase, reason, err)
	}
	if reason == probe.ReasonTLSAlert {
		return tlsWords(reason, root(c.x.link, err))
	}
	return c.exchangeWords(reason, err)
}

// root is why the connection ended, or what HTTP made of it.
func root(l *link, err error) error { return cmp.Or(l.end(), err) }

// connectionWords are of a failure before a connection was made.
func connectionWords(phase probe.Phase, reason probe.Reason, err error) string {
	switch phase {
	case probe.PhaseResolve:
		return dnsWords(reason, err)
	case probe.PhaseConnect:
		return connectWords(err)
	case probe.PhaseTLS:
		return tlsWords(reason, err)
	}
	return ""
}

// Told is an error of Go's, of which no connection came, in words for somebody who has never seen Go. It
// unwraps to that error.
func Told(phase probe.Phase, reason probe.Reason, err error) error {
	if text := connectionWords(phase, reason, err); text != "" {
		return probe.Reworded(err, text)
	}
	return err
}

// ToldOf is why an address was given up, in words for who sees the address beside it. It unwraps to the error.
func ToldOf(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return probe.Reworded(err, errno.Error())
	}
	return err
}

func dnsWords(reason probe.Reason, err error) string {
	var d *net.DNSError
	if !errors.As(err, &d) {
		return ""
	}
	asked := ""
	if d.Server != "" {
		asked = fmt.Sprintf(" (asked %s)", d.Server)
	}
	name := strconv.Quote(d.Name)
	switch reason {
	case probe.ReasonDNSNotFound:
		return "name " + name + " does not exist or has no address" + asked
	case probe.ReasonDNSTimeout:
		return "the name server did not answer when asked for " + name + asked
	case probe.ReasonDNSTemporary:
		return "name " + name + " could not be looked up for now: " + plain(d.Err) + asked
	case probe.ReasonDNSServer:
		return "the name server refused to look up " + name + ": " + plain(d.Err) + asked
	}
	return ""
}

func connectWords(err error) string {
	var op *net.OpError
	var errno syscall.Errno
	if !errors.As(err, &op) || !errors.As(err, &errno) || op.Addr == nil {
		return ""
	}
	return fmt.Sprintf("connecting to %s: %s", op.Addr, errno.Error())
}

func tlsWords(reason probe.Reason, err error) string {
	var cert *tls.CertificateVerificationError
	var notTLS tls.RecordHeaderError
	var op *net.OpError
	switch {
	case errors.As(err, &cert):
		return plain(strings.ReplaceAll(cert.Err.Error(), "x509: ", "")) + issuer(reason, cert.UnverifiedCertificates) // one may quote another
	case errors.As(err, &notTLS):
		return fmt.Sprintf("the answer is not TLS, it begins with %q", notTLS.RecordHeader[:])
	case reason == probe.ReasonTLSClosed:
		return "the peer " + ending(err) + " in the TLS handshake"
	case alert(err) && errors.As(err, &op):
		return fmt.Sprintf("the peer ended TLS with the alert %q", plain(op.Err.Error()))
	case reason == probe.ReasonTLSAlert:
		return "TLS could not be agreed on: " + plain(err.Error())
	}
	return ""
}

// ending is how a peer has ended a connection.
func ending(err error) string {
	if errors.Is(err, errStuck) {
		return "ceased to read from the connection"
	}
	if errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNABORTED) {
		return "reset the connection"
	}
	return "closed the connection"
}

// exchangeWords are of a failure after the connection was made.
func (c *Call) exchangeWords(reason probe.Reason, err error) string {
	peer := c.peer() + " " + ending(root(c.x.link, err))
	switch reason {
	case probe.ReasonCanceled:
		return errClosed.Error()
	case probe.ReasonDisconnected:
		return peer + c.before()
	case probe.ReasonStaleConnection:
		if x := &c.x; x.leftover() {
			return fmt.Sprintf("what came on the kept connection is no answer, it begins with %q", x.beginning())
		}
		return peer + ", which had been kept, before answering"
	case probe.ReasonHeaderTruncated:
		return peer + " in the middle of the response header"
	case probe.ReasonBodyTruncated:
		return "the body was cut " + c.body.progress()
	case probe.ReasonBodyCorrupt:
		return fmt.Sprintf("the body is damaged %s: %s", c.body.progress(), plain(err.Error()))
	case probe.ReasonProtocolError:
		return c.nonsense(err)
	case probe.ReasonH2Refused:
		return "the peer refused the request unprocessed" + c.code()
	case probe.ReasonH2StreamReset:
		return "the peer reset the stream" + c.before() + c.code()
	case probe.ReasonH2Goaway:
		return "the peer ended the connection with a GOAWAY before answering" + c.code()
	}
	return ""
}

// before says before what a peer has gone.
func (c *Call) before() string {
	switch {
	case c.x.raw && c.x.received > 0:
		return ""
	case c.x.raw:
		return " before it said anything"
	case c.evidence() == probe.Answered:
		return " before its answer was complete" // after a 103, or so
	case c.phase == probe.PhaseWrite:
		return " while the request was being sent"
	}
	return " before answering"
}

// peer is who is at the other end of the exchange's connection: a proxy that does not tunnel answers itself.
func (c *Call) peer() string {
	if l := c.x.link; l != nil && l.from.key.proxy != "" && !l.from.key.secure && l.from.key.version != H2C {
		return "the proxy " + c.leads
	}
	return "the peer"
}

// progress is how much of the body has come.
func (b *body) progress() string {
	switch {
	case b == nil:
		return "at its beginning"
	case b.length > 0:
		return fmt.Sprintf("after %d of %d bytes", b.got, b.length)
	}
	return fmt.Sprintf("after %d bytes", b.got)
}

// nonsense is of an answer that is not of the protocol.
func (c *Call) nonsense(err error) string {
	if f := c.flood(err); f != nil {
		return f.Error()
	}
	if end := c.x.link.end(); end != nil && !gone(end) {
		return "the answer is not proper TLS: " + plain(end.Error())
	}
	detail := plain(err.Error())
	switch l := c.x.link; {
	case l == nil || c.x.raw:
		return ""
	case l.h2 && l.frames.fateOf(c.x.stream).notHTTP2:
		return "the answer is not HTTP/2"
	case l.h2:
		return "the answer is not proper HTTP/2: " + detail
	case c.x.received == 0 || c.x.looksHTTP():
		return "the answer is not proper HTTP: " + detail
	}
	if _, quoted, ok := strings.Cut(detail, `"`); ok && quoted != `"` {
		return `the answer is not HTTP: "` + quoted
	}
	return fmt.Sprintf("the answer is not HTTP, it begins with %q", c.x.beginning())
}

// code names the code with which an HTTP/2 peer has ended a stream, or the connection; empty without one.
func (c *Call) code() string {
	l := c.x.link
	if l == nil || l.frames == nil {
		return ""
	}
	code, ok := l.frames.codeOf(c.x.stream)
	if !ok {
		return ""
	}
	if code < uint32(len(codeNames)) {
		return " (" + codeNames[code] + ")"
	}
	return fmt.Sprintf(" (code %d)", code)
}

// codeNames are the codes of HTTP/2 (RFC 9113, section 7).
var codeNames = [...]string{
	"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR",
	"REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
}

// packages are the names with which Go begins its errors.
var packages = []string{"net/http: ", "HTTP/1.x transport connection broken: ", "http: ", "http2: ", "local error: ", "tls: ", "x509: "}

// plain is the text of an error without the names of Go's packages, and without what a terminal could take
// for a command.
func plain(text string) string {
	for i := 0; i < len(packages); i++ {
		if rest, ok := strings.CutPrefix(text, packages[i]); ok {
			text, i = rest, -1 // one may stand within another
		}
	}
	text = strings.ReplaceAll(text, "*tls.", "") // Go names its own types of messages
	if text == "EOF" || text == "unexpected EOF" {
		return "it ends too early"
	}
	return probe.Printable(text)
}
