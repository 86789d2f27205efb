package conn

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"reflect"
	"slices"
	"syscall"

	"sonde/probe"
)

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

// Closed is true of the error of an attempt whose peer has ended the connection in good order: it had no more to
// say. A connection that was reset or cut is not closed so.
func Closed(err error) bool { return errors.Is(err, io.EOF) }

// Gone is true of the error of a write that the peer does not take, because it has ended the connection. What it has
// said before may still be there to be read.
func Gone(err error) bool { return gone(err) }

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

// spurns is true of an alert with which a server refuses what we have shown of ourselves in the handshake, or that
// we have shown nothing. In TLS 1.3 our end of the handshake is over before it has seen that, and the request may
// have followed at once (RFC 8446, section 4.4).
func spurns(err error) bool {
	n, ok := alertNumber(err)
	return ok && slices.Contains(spurning, n)
}

// spurning are the alerts about a client's certificate, or the lack of one (RFC 8446, section 6.2):
// handshake_failure, bad_certificate to certificate_unknown, unknown_ca, access_denied, decrypt_error, and
// certificate_required.
var spurning = []int{40, 42, 43, 44, 45, 46, 48, 49, 51, 116}
