package kinds_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"net"
)

// oddRows of certificates: what is wrong with each, and the reason.
var oddCertificates = []struct{ name, reason string }{
	{"an extension that is critical and that nobody knows", "tls_cert_other"},
	{"usage: for clients only", "tls_cert_other"},
	{"an authority that may not sign for this address", "tls_cert_other"},
	{"an authority that may not have others below it", "tls_cert_other"},
	{"an authority that is none", "tls_cert_untrusted"},
	{"not yet valid", "tls_cert_expired"},
}

// certificateRows has each of them over both versions of HTTP: nothing is sent, and no other attempt is worth it.
func certificateRows() (rows []row) {
	for _, c := range oddCertificates {
		rows = append(rows, row{
			id: "certificate: " + c.name, version: "1.1 2", server: []turn{ok}, with: changes(https, post),
			tls: &tls.Config{
				NextProtos:     []string{"h2", "http/1.1"},
				GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return papers.odd[c.name], nil },
			},
			tries: c.reason + "@tls:N", end: "down " + c.reason + " permanent", counts: "a1 f1",
		})
	}
	return rows
}

// oddPapers makes the odd certificates, each for the first place of the suite.
func oddPapers(ours authority) (map[string]*tls.Certificate, error) {
	leaf := func() *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(3), IPAddresses: []net.IP{net.ParseIP(here)}, NotBefore: year(1990), NotAfter: year(2190),
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		}
	}
	middle := func() *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(4), Subject: pkix.Name{CommonName: "middle"}, IsCA: true, BasicConstraintsValid: true,
			NotBefore: year(1990), NotAfter: year(2190), KeyUsage: x509.KeyUsageCertSign,
		}
	}
	strange, clients, future := leaf(), leaf(), leaf()
	strange.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 99999, 1}, Critical: true, Value: []byte{5, 0}}}
	clients.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	future.NotBefore = year(2189)
	elsewhere, last, none := middle(), middle(), middle()
	elsewhere.PermittedIPRanges = []*net.IPNet{{IP: net.IPv4(198, 51, 100, 0).To4(), Mask: net.CIDRMask(24, 32)}}
	last.MaxPathLenZero = true
	none.IsCA, none.KeyUsage = false, x509.KeyUsageDigitalSignature
	papers := map[string]*tls.Certificate{}
	for name, chain := range map[string][]*x509.Certificate{
		oddCertificates[0].name: {strange}, oddCertificates[1].name: {clients}, oddCertificates[5].name: {future},
		oddCertificates[2].name: {elsewhere, leaf()}, oddCertificates[3].name: {last, middle(), leaf()}, oddCertificates[4].name: {none, leaf()},
	} {
		cert, err := ours.chain(chain)
		if err != nil {
			return nil, err
		}
		papers[name] = cert
	}
	return papers, nil
}

// chain signs each of the certificates by the one before it, the first by the authority itself, and returns them
// as a server shows them, with the key of the last.
func (a authority) chain(templates []*x509.Certificate) (*tls.Certificate, error) {
	shown := &tls.Certificate{}
	parent, signer := a.cert, a.key
	for _, template := range templates {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
		if err != nil {
			return nil, err
		}
		if parent, err = x509.ParseCertificate(der); err != nil {
			return nil, err
		}
		signer = key
		shown.Certificate = append([][]byte{der}, shown.Certificate...)
	}
	shown.PrivateKey = signer
	return shown, nil
}
