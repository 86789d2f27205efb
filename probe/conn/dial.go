package conn

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"time"

	"sonde/probe"
)

// stagger is how long one address has before the next is tried beside it (RFC 8305, section 5).
const stagger = 250 * time.Millisecond

// resolver is Go's own resolver: the C library's would change what its failures look like.
func resolver() func(ctx context.Context, host string) ([]net.IP, error) {
	r := &net.Resolver{PreferGo: true}
	return func(ctx context.Context, host string) ([]net.IP, error) { return r.LookupIP(ctx, "ip", host) }
}

// resolve is phase resolve: the addresses of a host:port, interleaved by family as RFC 8305 has it. A
// literal IP is its own address.
func (c *Call) resolve(address string) ([]string, error) {
	c.to(probe.PhaseResolve, numLimits, numLimits)
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &addressError{err}
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return []string{address}, nil
	}
	ips, err := c.net.lookup(c.ctx, host)
	if err != nil {
		return nil, c.failed(err)
	}
	if len(ips) == 0 {
		return nil, &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	return interleave(ips, port), nil
}

// addressError is an address that is not host:port.
type addressError struct{ error }

func (e *addressError) Unwrap() error { return e.error }

// interleave takes turns between the family of the first address and the other.
func interleave(ips []net.IP, port string) []string {
	var families [2][]string
	first := ips[0].To4() != nil
	for _, ip := range ips {
		f := 1
		if (ip.To4() != nil) == first {
			f = 0
		}
		families[f] = append(families[f], net.JoinHostPort(ip.String(), port))
	}
	var out []string
	for i := 0; len(out) < len(ips); i++ {
		for _, family := range families {
			if i < len(family) {
				out = append(out, family[i])
			}
		}
	}
	return out
}

// dialed is what came of one address.
type dialed struct {
	address string
	conn    net.Conn
	err     error
}

// dialAny is phase connect: it connects to the first address that answers.
func (c *Call) dialAny(addresses []string) (dialed, error) {
	c.to(probe.PhaseConnect, sockConnect, numLimits)
	if len(addresses) == 1 {
		d := c.dialOne(c.ctx, addresses[0])
		if d.err != nil {
			return d, c.gaveUp([]dialed{d})
		}
		return d, nil
	}
	return c.race(addresses)
}

func (c *Call) dialOne(ctx context.Context, address string) dialed {
	conn, err := c.net.options.Dial(ctx, "tcp", address)
	return dialed{address: address, conn: conn, err: err}
}

// race tries the addresses one after the other, each with a head start; the first that connects wins.
func (c *Call) race(addresses []string) (dialed, error) {
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	results := make(chan dialed, len(addresses))
	next := time.NewTimer(0)
	defer next.Stop()
	var failed []dialed
	for started, pending := 0, 0; ; {
		select {
		case <-next.C:
		case d := <-results:
			pending--
			if d.err == nil {
				c.lost(failed, nil)
				c.reap(results, pending)
				return d, nil
			}
			failed = append(failed, d)
		}
		if started < len(addresses) && ctx.Err() == nil {
			address := addresses[started]
			go func() { results <- c.dialOne(ctx, address) }()
			started++
			pending++
			next.Reset(stagger)
		} else if pending == 0 {
			return dialed{}, c.gaveUp(failed)
		}
	}
}

// reap closes connections that came too late to win.
func (c *Call) reap(results <-chan dialed, pending int) {
	if pending == 0 || !c.net.hold() {
		return
	}
	go func() {
		defer c.net.open.Done()
		for range pending {
			if d := <-results; d.conn != nil {
				d.conn.Close()
			}
		}
	}()
}

// lost notes the addresses that were tried in vain; cut replaces what each says of being cut.
func (c *Call) lost(failed []dialed, cut error) {
	for _, d := range failed {
		if cut != nil && errors.Is(d.err, context.Canceled) {
			d.err = cut
		}
		c.addresses = append(c.addresses, probe.AddressError{Address: d.address, Err: d.err})
	}
}

// gaveUp is the error of a connection that no address gave: the first that says something of the
// target, before those of networks that we cannot reach.
func (c *Call) gaveUp(failed []dialed) error {
	cut := c.cut()
	c.lost(failed, cut)
	if cut != nil {
		return cut
	}
	for _, d := range failed {
		if errnoReason(d.err) != probe.ReasonConnectUnreachable {
			return d.err
		}
	}
	return failed[0].err
}

// make makes a connection of the shelf's kind: addresses, TCP, TLS.
func (c *Call) make(s *shelf, r *Route, raw bool) (*link, error) {
	addresses, err := c.resolve(s.key.address)
	if err != nil {
		return nil, err
	}
	d, err := c.dialAny(addresses)
	if err != nil {
		return nil, err
	}
	c.address = d.address
	l := &link{Conn: d.conn, net: c.net, host: s.host, address: d.address, born: time.Now(), uses: 1, active: 1}
	l.begun = make(chan struct{}, 1)
	l.call.Store(c)
	if !c.net.hold() {
		d.conn.Close()
		return nil, errClosed
	}
	if err := c.secure(l, s, r, raw); err != nil {
		l.close()
		return nil, c.failed(err)
	}
	return l, nil
}

// secure is phase tls, and makes the HTTP client.
func (c *Call) secure(l *link, s *shelf, r *Route, raw bool) error {
	l.h2 = s.key.version == H2C && !raw
	if r.TLS != nil {
		if err := c.handshake(l, c.net.config(s, r, raw), s.key.version); err != nil {
			return err
		}
	}
	c.use(l, false)
	if raw {
		l.expects.Store(true)
		return nil
	}
	if l.h2 {
		l.frames = newFrames()
	}
	return c.net.client(l)
}

// handshake does TLS, and keeps what it showed, also of one that was refused.
func (c *Call) handshake(l *link, config *tls.Config, v Version) error {
	c.to(probe.PhaseTLS, numLimits, numLimits)
	t := tls.Client(&socket{Conn: l.Conn, link: l}, config)
	err := t.HandshakeContext(c.ctx)
	state := t.ConnectionState()
	l.facts = tlsFacts(&state, err)
	c.facts = l.facts
	if err != nil {
		return err
	}
	l.Conn = t
	l.h2 = state.NegotiatedProtocol == "h2"
	if v == V2 && !l.h2 {
		return errNoH2
	}
	return nil
}

// errNoH2 is a peer that ignores that HTTP/2 is demanded.
var errNoH2 = errors.New("ALPN agreed on no protocol, want h2")

// config is the shelf's TLS configuration.
func (n *Network) config(s *shelf, r *Route, raw bool) *tls.Config {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s.config == nil {
		s.config = configFor(r, s.key.version, raw)
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

// socket is what lies below TLS: it tells of bytes that TLS has yet to make sense of, so that a slow
// record is no silence.
type socket struct {
	net.Conn
	link *link
}

// Read reads, and restarts sock_read of the call that waits.
func (s *socket) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	if n > 0 && !s.link.h2 {
		if c := s.link.call.Load(); c != nil {
			c.touch()
		}
	}
	return n, err
}

// tlsFacts is what a handshake showed.
func tlsFacts(state *tls.ConnectionState, err error) *probe.TLSFacts {
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
