package conn

import (
	"crypto/x509"
	"strings"

	"sonde/probe"
)

// What is kept of the certificates that a peer sends, which may be of any length.
const (
	maxChain    = 8
	maxNames    = 10
	maxNameText = 256 // bytes
)

// papers are what the certificates of a peer say of themselves, its own first.
func papers(peer []*x509.Certificate) []probe.Certificate {
	list := make([]probe.Certificate, 0, min(len(peer), maxChain))
	for _, cert := range peer[:min(len(peer), maxChain)] {
		c := probe.Certificate{
			Subject: nameText(cert.Subject.String()), Issuer: nameText(cert.Issuer.String()),
			NotBefore: cert.NotBefore, NotAfter: cert.NotAfter,
		}
		c.Names, c.MoreNames = goodFor(cert)
		list = append(list, c)
	}
	return list
}

// goodFor is the first of the names and addresses that a certificate is good for, and how many others
// there are.
func goodFor(cert *x509.Certificate) (names []string, more int) {
	add := func(name string) {
		if len(names) == maxNames {
			more++
			return
		}
		names = append(names, nameText(name))
	}
	for _, name := range cert.DNSNames {
		add(name)
	}
	for _, ip := range cert.IPAddresses {
		add(ip.String())
	}
	for _, u := range cert.URIs {
		add(u.String())
	}
	for _, address := range cert.EmailAddresses {
		add(address)
	}
	return names, more
}

// nameText is a name in valid UTF-8, cut where it is too long.
func nameText(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if len(name) <= maxNameText {
		return name
	}
	return probe.Clip(name, maxNameText) + "…"
}
