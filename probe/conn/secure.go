package conn

import (
	"crypto/tls"
	"errors"
	"net"
	"time"

	"sonde/probe"
)

// secure is phase tls, and makes the HTTP/2 client.
func (c *Call) secure(l *link, s *shelf, r *Route, raw bool) error {
	l.h2 = s.key.version == H2C && !raw
	if r.TLS != nil {
		protocol, err := c.handshake(l, c.net.config(s, r))
		if err != nil {
			return err
		}
		l.h2 = protocol == "h2" && !raw
		if s.key.version == V2 && !l.h2 && !raw {
			return errNoH2
		}
	}
	if l.h2 {
		l.frames = newFrames()
	}
	c.use(l, false)
	if !l.h2 {
		return nil
	}
	err := c.net.client(l)
	c.x.broken = err != nil
	return err
}

// handshake does TLS, and keeps what it showed, also of one that was refused.
func (c *Call) handshake(l *link, config *tls.Config) (protocol string, err error) {
	c.to(probe.PhaseTLS, numLimits, numLimits)
	t := newClient(l, config)
	if !c.outfits(l) {
		return "", c.cut()
	}
	err = t.Handshake()
	c.outfits(nil)
	state := t.ConnectionState()
	l.facts = tlsFacts(&state, err, c.net.options.Chains)
	c.facts = l.facts
	if err != nil {
		return "", err
	}
	l.Conn = t
	return state.NegotiatedProtocol, nil
}

// newClient is TLS on what the link has so far.
func newClient(l *link, config *tls.Config) *tls.Conn {
	return tls.Client(&wire{Conn: l.Conn, link: l}, config)
}

// outfits says on which connection a handshake or a proxy is waited for, if any; it is false when the call was cut before.
func (c *Call) outfits(l *link) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outfitting = l
	return !c.isCut()
}

// errNoH2 is a peer that ignores that HTTP/2 is demanded.
var errNoH2 = errors.New("ALPN agreed on no protocol, want h2")

// config is the shelf's TLS configuration.
func (n *Network) config(s *shelf, r *Route) *tls.Config {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s.config == nil {
		s.config = configFor(r, s.key.version, s.key.raw)
	}
	return s.config
}

func configFor(r *Route, v Version, raw bool) *tls.Config {
	config := r.TLS.Config.Clone()
	if config == nil {
		config = &tls.Config{}
	}
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(r.Address)
	}
	switch {
	case raw:
	case v == V1:
		config.NextProtos = []string{"http/1.1"}
	case v == V2:
		config.NextProtos = []string{"h2"}
	default:
		config.NextProtos = []string{"h2", "http/1.1"}
	}
	return config
}

// tlsFacts is what a handshake showed, with the certificates themselves where chains are asked for.
func tlsFacts(state *tls.ConnectionState, err error, chains bool) *probe.TLSFacts {
	f := &probe.TLSFacts{}
	if state.Version != 0 {
		f.Version = tls.VersionName(state.Version)
	}
	if state.CipherSuite != 0 {
		f.Cipher = tls.CipherSuiteName(state.CipherSuite)
	}
	peer := state.PeerCertificates
	var refused *tls.CertificateVerificationError
	if errors.As(err, &refused) {
		peer = refused.UnverifiedCertificates
	}
	if chains {
		f.Chain = papers(peer)
	}
	for _, cert := range peer {
		if f.EarliestExpiry.IsZero() || cert.NotAfter.Before(f.EarliestExpiry) {
			f.EarliestExpiry = cert.NotAfter
		}
	}
	for _, chain := range state.VerifiedChains {
		var earliest time.Time
		for _, cert := range chain {
			if earliest.IsZero() || cert.NotAfter.Before(earliest) {
				earliest = cert.NotAfter
			}
		}
		if earliest.After(f.LastChainExpiry) {
			f.LastChainExpiry = earliest
		}
	}
	return f
}
