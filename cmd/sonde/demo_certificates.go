package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"time"
)

// demoCertificates makes the certificates of the demo's TLS endpoint, which nobody has signed: one
// that has expired for callers who ask for expired.demo, and a good one for all others.
func demoCertificates(now time.Time) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), error) {
	good, err := demoCertificate("secure.demo", now.Add(90*24*time.Hour))
	if err != nil {
		return nil, err
	}
	expired, err := demoCertificate("expired.demo", now.Add(-24*time.Hour))
	if err != nil {
		return nil, err
	}
	return func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if hello.ServerName == "expired.demo" {
			return expired, nil
		}
		return good, nil
	}, nil
}

// demoCertificate makes a certificate for a name and for 127.0.0.1 that is good until then.
func demoCertificate(name string, until time.Time) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key for %s: %w", name, err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(until.Unix()),
		Subject:      pkix.Name{CommonName: name},
		DNSNames:     []string{name},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:    until.Add(-365 * 24 * time.Hour),
		NotAfter:     until,
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("making a certificate for %s: %w", name, err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
