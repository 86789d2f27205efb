package conn

import (
	"bytes"
	"crypto/x509"
	"fmt"
	"slices"
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

// issuer says who would have to be trusted for a certificate that nobody trusted has signed: whoever has issued
// the last one of the chain that begins with it. It is empty for another reason.
func issuer(reason probe.Reason, sent []*x509.Certificate) string {
	if reason != probe.ReasonTLSCertUntrusted || len(sent) == 0 {
		return ""
	}
	sent = sent[:min(len(sent), maxChain)]
	last := sent[0]
	for range sent { // who is hostile may send a circle
		i := slices.IndexFunc(sent, func(c *x509.Certificate) bool { return bytes.Equal(c.RawSubject, last.RawIssuer) })
		if i < 0 {
			break
		}
		last = sent[i]
	}
	if bytes.Equal(last.RawSubject, last.RawIssuer) {
		return fmt.Sprintf(": %q, which has issued itself", nameText(last.Issuer.String()))
	}
	return fmt.Sprintf(": issued by %q", nameText(last.Issuer.String()))
}

// nameText is a name in valid UTF-8, cut where it is too long.
func nameText(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if len(name) <= maxNameText {
		return name
	}
	return probe.Clip(name, maxNameText) + "…"
}
