package kinds_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// papers are the certificates of the suite. They are good both in real time and in bubbles, whose clock
// starts in 2000.
var papers certificates

// certificates are one of each sort that matters, and the file of the authority that is trusted.
type certificates struct {
	authority                   string
	good, expired, other, stray tls.Certificate
	// odd are those that are wrong in ways that have no reason of their own.
	odd  map[string]*tls.Certificate
	gate tls.Certificate // of the proxy
}

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// newPapers makes the certificates, and writes the authority's into the folder.
func newPapers(dir string) (p certificates, err error) {
	ours, err := newAuthority()
	if err != nil {
		return p, err
	}
	theirs, err := newAuthority()
	if err != nil {
		return p, err
	}
	p.authority = filepath.Join(dir, "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ours.cert.Raw})
	if err := os.WriteFile(p.authority, text, 0o600); err != nil {
		return p, err
	}
	for _, one := range []struct {
		cert *tls.Certificate
		by   authority
		last int
		ip   string
	}{
		{&p.good, ours, 2190, "192.0.2.1"}, {&p.expired, ours, 1995, "192.0.2.1"},
		{&p.other, ours, 2190, "192.0.2.9"}, {&p.stray, theirs, 2190, "192.0.2.1"},
		{&p.gate, ours, 2190, "192.0.2.2"},
	} {
		if *one.cert, err = one.by.sign(one.last, one.ip); err != nil {
			return p, err
		}
	}
	p.odd, err = oddPapers(ours)
	return p, err
}

func newAuthority() (a authority, err error) {
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return a, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "root"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: year(1990), NotAfter: year(2190), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key)
	if err != nil {
		return a, err
	}
	a.cert, err = x509.ParseCertificate(der)
	return a, err
}

// sign makes a certificate that is good from 1990 up to a year, for an address and for loopback.
func (a authority) sign(last int, ip string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.ParseIP(ip)},
		NotBefore: year(1990), NotAfter: year(last), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

func year(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
