package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"testing"
	"time"
)

// outsiderPapers are certificates of an authority of the test's own.
type outsiderPapers struct {
	file string // of the authority
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newOutsiderPapers(t *testing.T) *outsiderPapers {
	p := &outsiderPapers{file: t.TempDir() + "/ca.pem"}
	root := &x509.Certificate{Subject: pkix.Name{CommonName: "outside"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	made := p.sign(t, root, time.Hour)
	p.key = made.PrivateKey.(*ecdsa.PrivateKey)
	p.cert, _ = x509.ParseCertificate(made.Certificate[0])
	if err := os.WriteFile(p.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.cert.Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// sign makes a certificate that is good for so long from now, or has not been for so long.
func (p *outsiderPapers) sign(t *testing.T, c *x509.Certificate, good time.Duration) *tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c.SerialNumber, c.NotBefore, c.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-24*time.Hour), time.Now().Add(good)
	parent, signer := c, key
	if p.cert != nil {
		parent, signer = p.cert, p.key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// serverCert is a server's certificate for an address.
func serverCert(ip string, usage x509.ExtKeyUsage) *x509.Certificate {
	return &x509.Certificate{IPAddresses: []net.IP{net.ParseIP(ip)}, ExtKeyUsage: []x509.ExtKeyUsage{usage}}
}

// securely does TLS with a certificate, and serves what is above it.
func securely(cert *tls.Certificate, change func(c *tls.Config), serve func(c net.Conn)) func(c net.Conn) {
	config := &tls.Config{Certificates: []tls.Certificate{*cert}}
	if change != nil {
		change(config)
	}
	return func(c net.Conn) {
		s := tls.Server(c, config)
		if s.Handshake() == nil {
			serve(s)
			s.Close()
		}
	}
}

// greeting answers a hello with a text as it is.
func greeting(text string) func(c net.Conn) {
	return func(c net.Conn) {
		c.Read(make([]byte, 4<<10))
		say(c, text)
	}
}

// connectionOutsiders are what can be amiss before a request goes out.
func connectionOutsiders(t *testing.T) []outsider {
	ours, theirs := newOutsiderPapers(t), newOutsiderPapers(t)
	secure := `http: {url: "https://<AT>/", tls: {ca_file: "` + ours.file + `"}}`
	server := x509.ExtKeyUsageServerAuth
	good := ours.sign(t, serverCert("127.0.0.1", server), time.Hour)
	ok := func(c net.Conn) {
		if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfine")
		}
	}
	cert := func(reason string) wanted { return down(reason, "permanent", 1, "never_sent", "tls") }
	closed := down("tls_closed", "attempts", 2, "never_sent", "tls")
	return []outsider{
		{"nobody listens", nil, get, down("connect_refused", "attempts", 2, "never_sent", "connect"), 0},
		{"TLS that is good", securely(good, nil, ok), secure, passed("up", 1), 0},
		{"an expired certificate", securely(ours.sign(t, serverCert("127.0.0.1", server), -time.Hour), nil, ok), secure, cert("tls_cert_expired"), 0},
		{"a certificate of another host", securely(ours.sign(t, serverCert("127.0.0.9", server), time.Hour), nil, ok), secure, cert("tls_cert_hostname"), 0},
		{"a certificate of an unknown authority", securely(theirs.sign(t, serverCert("127.0.0.1", server), time.Hour), nil, ok), secure, cert("tls_cert_untrusted"), 0},
		{"a client's certificate", securely(ours.sign(t, serverCert("127.0.0.1", x509.ExtKeyUsageClientAuth), time.Hour), nil, ok), secure, cert("tls_cert_other"), 0},
		{"any certificate, where any will do", securely(theirs.sign(t, serverCert("127.0.0.9", server), -time.Hour), nil, ok),
			`http: {url: "https://<AT>/", tls: {insecure_skip_verify: true}}`, passed("up", 1), 0},
		{"only TLS 1.1", securely(good, func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 }, ok), secure, cert("tls_alert"), 0},
		{"an alert", greeting("\x15\x03\x03\x00\x02\x02\x28" + finEnd), secure, cert("tls_alert"), 0},
		{"wants a certificate", securely(good, func(c *tls.Config) { c.ClientAuth, c.MaxVersion = tls.RequireAnyClientCert, tls.VersionTLS12 }, ok), secure, cert("tls_alert"), 0},
		{"closes at the hello", greeting(finEnd), secure, closed, 0},
		{"resets at the hello", greeting(rstEnd), secure, closed, 0},
		{"closes before the hello", func(net.Conn) {}, secure, closed, 0},
		{"speaks HTTP where TLS is wanted", greeting("HTTP/1.1 400 Bad Request\r\n\r\n" + finEnd), secure, cert("tls_not_tls"), 0},
		{"speaks SSH where TLS is wanted", func(c net.Conn) { say(c, "SSH-2.0-OpenSSH_9.6\r\n"+silenceEnd) }, secure, cert("tls_not_tls"), 0},
		{"says nothing to the hello", greeting(silenceEnd), `timeout: {sock_connect: 300ms}, ` + secure, down("limit_sock_connect", "attempts", 2, "never_sent", "tls"), 0},
		{"says nothing to the hello, and connect ends it", greeting(silenceEnd), `timeout: {connect: 300ms, sock_connect: none}, ` + secure,
			down("limit_connect", "attempts", 2, "never_sent", "tls"), 0},
		{"says nothing to the hello, and total ends it", greeting(silenceEnd), `timeout: {total: 300ms, connect: none, sock_connect: none}, ` + secure,
			down("limit_total", "attempts", 2, "never_sent", "tls"), 0},
		{"speaks TLS where HTTP is wanted", greeting("\x15\x03\x01\x00\x02\x02\x0a" + finEnd), get, down("protocol_error", "permanent", 1, "answered", "wait"), 0},
	}
}

// tcpOutsiders are servers of a protocol of their own.
func tcpOutsiders() []outsider {
	const tcp = `tcp: {address: "<AT>", dialogue: [{expect: "^220 "}, {send: "QUIT\r\n"}, {expect: "(?m)^221 "}]}`
	said := func(text string) func(c net.Conn) { return func(c net.Conn) { say(c, text) } }
	polite := func(c net.Conn) {
		io.WriteString(c, "220 ready\r\n")
		bufio.NewReader(c).ReadString('\n')
		io.WriteString(c, "221 bye\r\n")
	}
	up := passed("up", 1)
	up.Status, up.Version = 0, ""
	return []outsider{
		{"tcp: all is well", polite, tcp, up, 0},
		{"tcp: nobody listens", nil, tcp, down("connect_refused", "attempts", 2, "never_sent", "connect"), 0},
		{"tcp: closes at once", said(finEnd), tcp, down("disconnected", "attempts", 2, "never_sent", "wait"), 0},
		{"tcp: says nothing", said(silenceEnd), tcp, down("limit_sock_read", "attempts", 2, "never_sent", "wait"), 0},
		{"tcp: says something else", said("554 go away\r\n" + finEnd), tcp, down("assertion", "permanent", 1, "answered", "transfer"), 0},
		{"tcp: closes after QUIT", func(c net.Conn) { io.WriteString(c, "220 ready\r\n"); bufio.NewReader(c).ReadString('\n') }, tcp,
			down("disconnected", "attempts", 2, "answered", "wait"), 0},
		{"tcp: TLS that is none", said("220 ready\r\n" + silenceEnd), `tcp: {address: "<AT>", tls: {}}`, down("tls_not_tls", "permanent", 1, "never_sent", "tls"), 0},
	}
}
