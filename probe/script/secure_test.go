package script_test

import (
	"context"
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
	"path/filepath"
	"testing"
	"time"

	"sonde/probe/conn/memnet"
	"sonde/probe/script"
)

// authority signs the certificates of these tests. It is made once, and good at all times that tests live
// in: bubbles begin in 2000.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

var (
	theAuthority = newAuthority("authority")
	stranger     = newAuthority("stranger")
)

var long = [2]time.Time{time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)}

func newAuthority(name string) *authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: long[0], NotAfter: long[1],
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	cert, _ := x509.ParseCertificate(der)
	return &authority{cert: cert, key: key}
}

// write puts the certificate into a file, for ca_file.
func (a *authority) write(t testing.TB, dir string) {
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
	if err := os.WriteFile(filepath.Join(dir, "ca.pem"), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// issue makes a certificate for host.example, changed by change.
func (a *authority) issue(change func(*x509.Certificate)) *tls.Certificate {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "host"}, DNSNames: []string{"host.example", "other.example"},
		IPAddresses: []net.IP{net.IPv4(192, 0, 2, 7)}, NotBefore: long[0], NotAfter: long[1],
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	change(template)
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		panic(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// certificates are what endpoints show, by the word of a step.
var certificates = map[script.TLS]*tls.Certificate{
	"":               theAuthority.issue(func(*x509.Certificate) {}),
	"cert_expired":   theAuthority.issue(func(c *x509.Certificate) { c.NotAfter = long[0].Add(time.Hour) }),
	"cert_hostname":  theAuthority.issue(func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = []string{"third.example"}, nil }),
	"cert_untrusted": stranger.issue(func(*x509.Certificate) {}),
	"cert_other":     theAuthority.issue(func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} }),
}

// secure does TLS as the step says; nil is the end of the connection.
func (w *world) secure(c *memnet.Conn) net.Conn {
	s := w.step()
	if w.sleep(context.Background(), s.Delay.TLS) != nil || w.broken(s, "tls", c, c) {
		return nil
	}
	config := &tls.Config{NextProtos: []string{"http/1.1"}}
	switch s.TLS {
	case "not_tls":
		io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		c.CloseWrite()
		io.Copy(io.Discard, c)
		return nil
	case "alert":
		config.MaxVersion, config.CipherSuites = tls.VersionTLS12, []uint16{tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}
		config.Certificates = []tls.Certificate{*certificates[""]} // of ECDSA
	default:
		config.Certificates = []tls.Certificate{*certificates[s.TLS]}
	}
	stream := tls.Server(c, config)
	if stream.HandshakeContext(context.Background()) != nil {
		return nil
	}
	return stream
}
