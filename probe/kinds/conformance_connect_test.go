package kinds_test

import (
	"crypto/tls"
	"errors"
	"net"
	"syscall"
	"time"

	"sonde/probe"
)

// connectRows are C09 to C19: what happens before a request can go out.
var connectRows = []row{
	{id: "C09", server: []turn{refused},
		tries: "4×connect_refused@connect:N", end: "down connect_refused attempts",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 f1", check: leadsTo(syscall.ECONNREFUSED)},
	{id: "C10", server: []turn{nxdomain}, with: changes(named),
		tries: "4×dns_not_found@resolve:N", end: "down dns_not_found attempts",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 f1", check: leadsTo(nil)},
	{id: "C10 permanent", server: []turn{nxdomain}, with: changes(named, worth(probe.ReasonDNSNotFound, false)),
		tries: "dns_not_found@resolve:N", end: "down dns_not_found permanent", counts: "a1 f1"},
	{id: "C11", server: []turn{servfail, ok}, with: changes(named),
		tries: "dns_temporary@resolve:N ok", requests: 1, end: "flaky success", waits: "750ms", took: "750ms",
		counts: "a2 r1 fl1", check: retriedFor("dns_temporary")},
	{id: "C14 in memory", server: []turn{unanswered}, with: changes(sockConnect(150*time.Millisecond), attempts(2)),
		tries: "2×limit_sock_connect@connect:N", end: "down limit_sock_connect attempts",
		waits: "750ms", took: "1.05s", counts: "a2 r1 f1"},
	{id: "C15", server: []turn{silent.on(atAccept)}, with: changes(https, sockConnect(2*time.Second), attempts(2)),
		tries: "2×limit_sock_connect@tls:N", end: "down limit_sock_connect attempts",
		waits: "750ms", took: "4.75s", counts: "a2 r1 f1"},
	{id: "C16", server: []turn{ok}, tls: showing(&papers.expired), with: changes(https),
		tries: "tls_cert_expired@tls:N", end: "down tls_cert_expired permanent", counts: "a1 f1"},
	{id: "C16 transient", server: []turn{ok}, tls: showing(&papers.expired), with: changes(https, worth(probe.ReasonTLSCertExpired, true)),
		tries: "4×tls_cert_expired@tls:N", end: "down tls_cert_expired attempts",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 f1"},
	{id: "C17 another host", server: []turn{ok}, tls: showing(&papers.other), with: changes(https),
		tries: "tls_cert_hostname@tls:N", end: "down tls_cert_hostname permanent", counts: "a1 f1"},
	{id: "C17 unknown authority", server: []turn{ok}, tls: showing(&papers.stray), with: changes(https),
		tries: "tls_cert_untrusted@tls:N", end: "down tls_cert_untrusted permanent", counts: "a1 f1"},
	{id: "C19 plain port", server: []turn{says("HTTP/1.1 400 Bad Request\r\n\r\n", fin).on(atByte)}, with: changes(https),
		tries: "tls_not_tls@tls:N", end: "down tls_not_tls permanent", counts: "a1 f1"},
	{id: "C19 SSH", server: []turn{says("SSH-2.0-OpenSSH_9.6\r\n", silent).on(atAccept)}, with: changes(https),
		tries: "tls_not_tls@tls:N", end: "down tls_not_tls permanent", counts: "a1 f1"},

	// Beyond the table.
	{id: "TLS that is good", version: "1.1 2 auto", server: []turn{status(503), ok}, tls: showing(&papers.good), with: changes(https),
		tries: "status@transfer:W ok", requests: 2, connections: 1, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "TLS closed", server: []turn{fin.on(atByte), rst.on(atByte), fin.on(atAccept), rst.on(atAccept)}, with: changes(https),
		tries: "4×tls_closed@tls:N", end: "down tls_closed attempts",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 f1"},
	{id: "TLS closed for POST", server: []turn{fin.on(atByte), ok}, tls: showing(&papers.good), with: changes(https, post, unsafe("before_send")),
		tries: "tls_closed@tls:N ok", requests: 1, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "no HTTP/2 though demanded", version: "2", server: []turn{ok}, tls: &tls.Config{Certificates: []tls.Certificate{}}, with: changes(https),
		tries: "tls_alert@tls:N", end: "down tls_alert permanent", counts: "a1 f1"},
	{id: "resolver refuses", server: []turn{resolving(net.DNSError{Err: "server misbehaving"}), ok}, with: changes(named),
		tries: "dns_server@resolve:N ok", requests: 1, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "resolver is silent for connect", server: []turn{searched}, with: changes(named, attempts(2)),
		tries: "2×limit_connect@resolve:N", end: "down limit_connect attempts", waits: "750ms", took: "10.75s", counts: "a2 r1 f1"},
	{id: "resolver is silent for total", server: []turn{searched}, with: changes(named, attempts(1), connect(0), total(7*time.Second)),
		tries: "limit_total@resolve:N", end: "down limit_total attempts", took: "7s", counts: "a1 f1"},
	{id: "resolver gives up", server: []turn{resolving(net.DNSError{Err: "i/o timeout", IsTimeout: true, IsTemporary: true}), ok}, with: changes(named),
		tries: "dns_timeout@resolve:N ok", requests: 1, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "no route", server: []turn{dialing(syscall.EHOSTUNREACH), dialing(syscall.ENETUNREACH), dialing(syscall.ETIMEDOUT), ok}, with: changes(post),
		tries: "2×connect_unreachable@connect:N connect_timeout@connect:N ok", requests: 1, end: "flaky success",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 fl1"},
	{id: "our own descriptors, then good", server: []turn{dialing(syscall.EMFILE), ok},
		tries: "local_resource@connect:N ok", requests: 1, end: "up success", waits: "750ms", took: "750ms", counts: "a2 r1"},
	{id: "our own ports for ever", server: []turn{dialing(syscall.EADDRNOTAVAIL)}, with: changes(attempts(2)),
		tries: "2×local_resource@connect:N", end: "unknown local_resource attempts", waits: "750ms", took: "750ms", counts: "a2 r1 u1"},
	{id: "a local rule", server: []turn{dialing(syscall.EPERM)},
		tries: "connect_denied@connect:N", end: "unknown connect_denied permanent", counts: "a1 u1"},
	{id: "connect before sock_connect", server: []turn{unanswered}, with: changes(connect(time.Second), sockConnect(0), attempts(1)),
		tries: "limit_connect@connect:N", end: "down limit_connect attempts", took: "1s", counts: "a1 f1"},
	{id: "the target's failure, then ours", server: []turn{refused, dialing(syscall.EMFILE)}, with: changes(attempts(2)),
		tries: "connect_refused@connect:N local_resource@connect:N", end: "unknown local_resource attempts",
		waits: "750ms", took: "750ms", counts: "a2 r1 u1"},
}

// showing is a server's TLS with a certificate that TestMain will have made.
func showing(cert *tls.Certificate) *tls.Config {
	return &tls.Config{
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return cert, nil },
	}
}

// leadsTo checks that the run's error matches a target through all wrappers; nil is a *net.DNSError.
func leadsTo(target error) func(*lab, *probe.Result) {
	return func(l *lab, r *probe.Result) {
		if target == nil && !errors.As(r.Err, new(*net.DNSError)) || target != nil && !errors.Is(r.Err, target) {
			l.t.Errorf("the error %v does not lead to %v", r.Err, target)
		}
	}
}

// retriedFor checks that one retry was counted under a reason.
func retriedFor(reason string) func(*lab, *probe.Result) {
	return func(l *lab, r *probe.Result) {
		if n := l.numbers()["sonde_retries_total reason="+reason]; n != 1 {
			l.t.Errorf("%d retries are counted for %s, want 1", n, reason)
		}
	}
}
