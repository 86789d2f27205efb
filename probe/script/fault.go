package script

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"

	"sonde/probe"
	"sonde/probe/conn"
)

// fault is what an endpoint does to end an attempt, and the error that it looks like.
type fault struct {
	reason probe.Reason
	err    error
}

// fail ends the attempt by a fault. Of one before there was a connection conn has the words.
func (c *call) fail(reason probe.Reason, err error) error {
	c.fault = &fault{reason, conn.Told(c.phase, reason, err)}
	return err
}

// tell is an error in words of our own, with what it leads to.
func tell(err error, format string, args ...any) error {
	return probe.Reworded(err, fmt.Sprintf(format, args...))
}

// peer is how the peer has ended the connection, in conn's words.
func peer(err error) string {
	if err == errReset {
		return "the peer reset the connection"
	}
	return "the peer closed the connection"
}

// dnsFault is a lookup that fails, as Go's resolver tells of it.
func dnsFault(word DNS, host string) (probe.Reason, error) {
	d := &net.DNSError{Name: host}
	switch word {
	case "not_found":
		d.Err, d.IsNotFound = "no such host", true
		return probe.ReasonDNSNotFound, d
	case "temporary":
		d.Err, d.IsTemporary = "server misbehaving", true
		return probe.ReasonDNSTemporary, d
	case "timeout":
		d.Err, d.IsTimeout, d.IsTemporary = "i/o timeout", true, true
		return probe.ReasonDNSTimeout, d
	}
	d.Err = "server misbehaving"
	return probe.ReasonDNSServer, d
}

// connectFault is a connection that does not come about, as the kernel tells of it.
func connectFault(word Connect, address string) (probe.Reason, error) {
	failed := func(errno syscall.Errno) error {
		at, _ := netip.ParseAddrPort(address)
		return &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(at), Err: os.NewSyscallError("connect", errno)}
	}
	switch word {
	case "refused":
		return probe.ReasonConnectRefused, failed(syscall.ECONNREFUSED)
	case "unreachable":
		return probe.ReasonConnectUnreachable, failed(syscall.EHOSTUNREACH)
	case "timeout":
		return probe.ReasonConnectTimeout, failed(syscall.ETIMEDOUT)
	}
	return probe.ReasonConnectRefused, failed(syscall.ECONNRESET)
}

// tlsFault is a handshake that fails, as crypto/tls tells of it.
func tlsFault(word TLS, name string) (probe.Reason, error) {
	refused := func(err error) error { return &tls.CertificateVerificationError{Err: err} }
	other := &x509.Certificate{DNSNames: []string{"other.example"}}
	switch word {
	case "cert_expired":
		return probe.ReasonTLSCertExpired, refused(x509.CertificateInvalidError{Reason: x509.Expired, Detail: "by the test's script"})
	case "cert_hostname":
		return probe.ReasonTLSCertHostname, refused(x509.HostnameError{Certificate: other, Host: name})
	case "cert_untrusted":
		return probe.ReasonTLSCertUntrusted, refused(x509.UnknownAuthorityError{})
	case "cert_other":
		return probe.ReasonTLSCertOther, refused(x509.CertificateInvalidError{Reason: x509.NotAuthorizedToSign})
	case "alert":
		return probe.ReasonTLSAlert, &net.OpError{Op: "remote error", Err: tls.AlertError(alertHandshakeFailure)}
	}
	return probe.ReasonTLSNotTLS, tls.RecordHeaderError{
		Msg: "first record does not look like a TLS handshake", RecordHeader: [5]byte([]byte("HTTP/")),
	}
}

// alertHandshakeFailure is the number of an alert (RFC 8446, section 6).
const alertHandshakeFailure = 40

// errReset is what reading from a connection says that was reset.
var errReset error = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}

// broken is the error of a connection that ends at a place: by a reset or by a close.
func (s *Step) broken(at string) (err error, is bool) {
	switch at {
	case string(s.Reset):
		return errReset, true
	case string(s.Cut):
		return io.EOF, true
	}
	return nil, false
}
