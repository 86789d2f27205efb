package conn_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// authority signs certificates. A bubble's clock starts in 2000, and so do they.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

var bubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func newAuthority(t testing.TB) *authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{key: key, pool: x509.NewCertPool()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "root"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: bubbleStart.Add(-time.Hour), NotAfter: bubbleStart.Add(100 * 365 * 24 * time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	a.cert, _ = x509.ParseCertificate(der)
	a.pool.AddCert(a.cert)
	return a
}

// certificate is for an address, valid from start for a day.
func (a *authority) certificate(t testing.TB, ip string, start time.Time) tls.Certificate {
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), IPAddresses: []net.IP{net.ParseIP(ip)},
		NotBefore: start, NotAfter: start.Add(24 * time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func TestTLS(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	good := ours.certificate(t, "192.0.2.1", bubbleStart.Add(-time.Hour))
	answer := func(config *tls.Config) func(c *memnet.Conn, r *bufio.Reader) {
		return func(c *memnet.Conn, r *bufio.Reader) {
			s := tls.Server(c, config)
			br := bufio.NewReader(s)
			for {
				if _, err := request(br); err != nil {
					return
				}
				io.WriteString(s, ok200)
			}
		}
	}
	one := func(c tls.Certificate) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{c}} }
	needsClient := one(good)
	needsClient.ClientAuth = tls.RequireAnyClientCert
	old := one(good)
	old.MaxVersion = tls.VersionTLS11
	old.MinVersion = tls.VersionTLS10
	noH2 := one(good)
	for _, row := range []struct {
		name     string
		version  conn.Version
		serve    func(c *memnet.Conn, r *bufio.Reader)
		reason   probe.Reason
		phase    probe.Phase
		evidence probe.Evidence
		took     time.Duration
		expiry   bool // the record has the certificate's
	}{
		{"good", conn.Auto, answer(one(good)), "", 0, probe.Answered, 0, true},
		{"expired", conn.Auto, answer(one(ours.certificate(t, "192.0.2.1", bubbleStart.Add(-48*time.Hour)))), probe.ReasonTLSCertExpired, probe.PhaseTLS, probe.NeverSent, 0, true},
		{"not yet valid", conn.Auto, answer(one(ours.certificate(t, "192.0.2.1", bubbleStart.Add(48*time.Hour)))), probe.ReasonTLSCertExpired, probe.PhaseTLS, probe.NeverSent, 0, true},
		{"of another host", conn.Auto, answer(one(ours.certificate(t, "192.0.2.9", bubbleStart.Add(-time.Hour)))), probe.ReasonTLSCertHostname, probe.PhaseTLS, probe.NeverSent, 0, true},
		{"of an unknown authority", conn.Auto, answer(one(theirs.certificate(t, "192.0.2.1", bubbleStart.Add(-time.Hour)))), probe.ReasonTLSCertUntrusted, probe.PhaseTLS, probe.NeverSent, 0, true},
		{"wants a client certificate", conn.Auto, answer(needsClient), probe.ReasonTLSAlert, probe.PhaseWait, probe.Unanswered, 0, true},
		{"speaks too old a version", conn.Auto, answer(old), probe.ReasonTLSAlert, probe.PhaseTLS, probe.NeverSent, 0, false},
		{"has no HTTP/2 and says so", conn.V2, answer(func() *tls.Config { c := one(good); c.NextProtos = []string{"x"}; return c }()), probe.ReasonTLSAlert, probe.PhaseTLS, probe.NeverSent, 0, false},
		{"knows no ALPN", conn.V2, answer(noH2), probe.ReasonProtocolError, probe.PhaseTLS, probe.NeverSent, 0, true},
		{"plain HTTP", conn.Auto, saying("HTTP/1.1 400 Bad Request\r\n\r\n", fin), probe.ReasonTLSNotTLS, probe.PhaseTLS, probe.NeverSent, 0, false},
		{"SSH", conn.Auto, func(c *memnet.Conn, r *bufio.Reader) {
			io.WriteString(c, "SSH-2.0-OpenSSH_9.6\r\n")
			io.Copy(io.Discard, r)
		},
			probe.ReasonTLSNotTLS, probe.PhaseTLS, probe.NeverSent, 0, false},
		{"closes", conn.Auto, func(c *memnet.Conn, r *bufio.Reader) {}, probe.ReasonTLSClosed, probe.PhaseTLS, probe.NeverSent, 0, false},
		{"resets", conn.Auto, func(c *memnet.Conn, r *bufio.Reader) { r.ReadByte(); c.Abort() }, probe.ReasonTLSClosed, probe.PhaseTLS, probe.NeverSent, 0, false},
		{"is silent", conn.Auto, func(c *memnet.Conn, r *bufio.Reader) { io.Copy(io.Discard, r) }, probe.ReasonLimitSockConnect, probe.PhaseTLS, probe.NeverSent, 3 * time.Second, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, conn.Options{Chains: true}, func(w *world) {
				w.script(address, row.serve)
				r := route()
				r.Version = row.version
				r.TLS = &conn.TLS{Config: &tls.Config{RootCAs: ours.pool}, Key: "a"}
				l := standard
				l.SockConnect = 3 * time.Second
				got := w.try(try{route: r, limits: l})
				if got.Reason != row.reason || got.Phase != row.phase || got.Evidence != row.evidence || got.took != row.took {
					t.Errorf("got %q in %v, %v, after %v: %v", got.Reason, got.Phase, got.Evidence, got.took, got.Err)
				}
				if has := got.TLS != nil && !got.TLS.EarliestExpiry.IsZero(); has != row.expiry {
					t.Errorf("expiry known: %v, want %v: %+v", has, row.expiry, got.TLS)
				}
				if got.TLS != nil && len(got.TLS.Chain) > 0 != row.expiry {
					t.Errorf("the chain is %+v, want one: %v", got.TLS.Chain, row.expiry)
				}
				if got.OK && (got.TLS.Version != "TLS 1.3" || got.TLS.LastChainExpiry.IsZero()) {
					t.Errorf("got %+v", got.TLS)
				}
			})
		})
	}
}

// TestPassingAlert holds the place where an alert's number is found by reflection: an internal error may
// pass, a version that is not spoken does not.
func TestPassingAlert(t *testing.T) {
	broken := &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return nil, io.ErrNoProgress }}
	old := &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	for config, transient := range map[*tls.Config]bool{broken: true, old: false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, conn.Options{})
			w.script(address, func(c *memnet.Conn, r *bufio.Reader) { tls.Server(c, config).Handshake() })
			r := route()
			r.TLS = &conn.TLS{Config: &tls.Config{}, Key: "a"}
			if got := w.get(r); got.Reason != probe.ReasonTLSAlert || got.Transient != transient {
				t.Errorf("got %q, transient %v, want %v: %v", got.Reason, got.Transient, transient, got.Err)
			}
			w.end()
		})
	}
}
