package kinds

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
	"sonde/probe/conn"
)

// authority signs certificates in a test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	dir  string // holds ca.pem, and what pair writes
}

func newAuthority(t *testing.T) *authority {
	a := &authority{dir: t.TempDir()}
	a.cert, a.key = a.sign(t, &x509.Certificate{Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	a.write(t, "ca.pem", "CERTIFICATE", a.cert.Raw)
	return a
}

// sign makes a key and a certificate for it, its own when there is no authority yet.
func (a *authority) sign(t *testing.T, c *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c.SerialNumber, c.NotBefore, c.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := c, key
	if a.cert != nil {
		parent, signer = a.cert, a.key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert, key
}

// pair makes a certificate for names, writes NAME.pem and NAME.key, and returns it.
func (a *authority) pair(t *testing.T, file string, names ...string) tls.Certificate {
	t.Helper()
	cert, key := a.sign(t, &x509.Certificate{Subject: pkix.Name{CommonName: file}, DNSNames: names,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}})
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	a.write(t, file+".pem", "CERTIFICATE", cert.Raw)
	a.write(t, file+".key", "EC PRIVATE KEY", der)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

func (a *authority) write(t *testing.T, name, kind string, der []byte) {
	t.Helper()
	data := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := os.WriteFile(filepath.Join(a.dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// secure is a server on loopback with TLS, its URL.
func (a *authority) secure(t *testing.T, config *tls.Config, f http.HandlerFunc) string {
	s := httptest.NewUnstartedServer(f)
	s.TLS, s.EnableHTTP2 = config, true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL
}

// lookupLoopback says that every name is this machine.
func lookupLoopback(context.Context, string) ([]net.IP, error) {
	return []net.IP{net.IPv4(127, 0, 0, 1)}, nil
}

// attempt makes one attempt on loopback.
func attempt(t *testing.T, dir string, settings func(h *house) probe.Settings) probe.Attempt {
	t.Helper()
	n := conn.New(conn.Options{Lookup: lookupLoopback})
	t.Cleanup(n.Close)
	env := standard
	env.Dir = dir
	return prober(t, settings(newHouse(n.Starter(), "1")), env).Probe(t.Context(), probe.Try{Number: 1})
}

func TestHTTPOverTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	config := &tls.Config{Certificates: []tls.Certificate{a.pair(t, "server", "host.example")}}
	config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.VerifyClientCertIfGiven
	config.ClientCAs.AddCert(a.cert)
	a.pair(t, "client")
	server := a.secure(t, config, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("X-Version", r.Proto)
		if len(r.TLS.PeerCertificates) > 0 {
			rw.Header().Set("X-Client", r.TLS.PeerCertificates[0].Subject.CommonName)
		}
	})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(server, "https://"))
	trusted := TLS{CAFile: "ca.pem"}
	for _, test := range []struct {
		name    string
		host    string
		tls     *TLS
		version HTTPVersion
		reason  probe.Reason
		want    map[string]HeaderRule
	}{
		{"nobody is trusted", "host.example", nil, "auto", probe.ReasonTLSCertUntrusted, nil},
		{"anybody is trusted", "other.example", &TLS{InsecureSkipVerify: true}, "auto", "", nil},
		{"an authority is trusted", "host.example", &trusted, "auto", "", map[string]HeaderRule{"X-Version": {Equals: "HTTP/2.0"}}},
		{"HTTP/2 only", "host.example", &trusted, "2", "", map[string]HeaderRule{"X-Version": {Equals: "HTTP/2.0"}}},
		{"HTTP/1.1 only", "host.example", &trusted, "1.1", "", map[string]HeaderRule{"X-Version": {Equals: "HTTP/1.1"}}},
		{"another name", "other.example", &trusted, "auto", probe.ReasonTLSCertHostname, nil},
		{"another name that is asked for", "other.example", &TLS{CAFile: "ca.pem", ServerName: "host.example"}, "auto", "", nil},
		{"TLS 1.3 only", "host.example", &TLS{CAFile: "ca.pem", MinVersion: "TLS13"}, "auto", "", nil},
		{"a client certificate", "host.example", &TLS{CAFile: filepath.Join(a.dir, "ca.pem"), CertFile: "client.pem", KeyFile: "client.key"}, "auto", "",
			map[string]HeaderRule{"X-Client": {Equals: "client"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := attempt(t, a.dir, func(h *house) probe.Settings {
				s := newHTTP(h).(*HTTP)
				s.URL, s.TLS, s.Version, s.Expect.Headers = "https://"+test.host+":"+port+"/", test.tls, test.version, test.want
				return s
			})
			if got.Reason != test.reason || got.OK != (test.reason == "") {
				t.Errorf("attempt is %+v (%v), want reason %q", got, got.Err, test.reason)
			}
			if got.OK && (got.TLS == nil || got.TLS.EarliestExpiry.IsZero()) {
				t.Errorf("TLS facts are %+v", got.TLS)
			}
		})
	}
}

// TestRedirectAbroadOverTLS goes from one name to another: the authorities go along, the name that is
// asked for and the client certificate do not.
func TestRedirectAbroadOverTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	config := &tls.Config{Certificates: []tls.Certificate{a.pair(t, "first", "first.example")}, ClientAuth: tls.RequestClientCert}
	a.pair(t, "client")
	shown := make(chan string, 2)
	tell := func(r *http.Request) {
		text := r.TLS.ServerName
		for _, c := range r.TLS.PeerCertificates {
			text += " " + c.Subject.CommonName
		}
		shown <- text
	}
	second := a.secure(t, &tls.Config{Certificates: []tls.Certificate{a.pair(t, "second", "second.example")}, ClientAuth: tls.RequestClientCert},
		func(_ http.ResponseWriter, r *http.Request) { tell(r) })
	u, _ := url.Parse(second)
	first := a.secure(t, config, func(rw http.ResponseWriter, r *http.Request) {
		tell(r)
		http.Redirect(rw, r, "https://second.example:"+u.Port()+"/", http.StatusFound)
	})
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(first, "https://"))
	got := attempt(t, a.dir, func(h *house) probe.Settings {
		s := newHTTP(h).(*HTTP)
		s.URL = "https://alias.example:" + port + "/"
		s.TLS = &TLS{CAFile: "ca.pem", CertFile: "client.pem", KeyFile: "client.key", ServerName: "first.example"}
		return s
	})
	if !got.OK {
		t.Fatalf("attempt is %+v (%v), want one that passed", got, got.Err)
	}
	if diff := cmp.Diff([]string{"first.example client", "second.example"}, []string{<-shown, <-shown}); diff != "" {
		t.Errorf("the servers were shown (-want +got):\n%s", diff)
	}
}

func TestTCPOverTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	config := &tls.Config{Certificates: []tls.Certificate{a.pair(t, "server", "host.example")}}
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				c.Write([]byte("hello\n"))
				c.Close()
			}()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, test := range []struct {
		name   string
		tls    *TLS
		reason probe.Reason
	}{
		{"trusted", &TLS{CAFile: "ca.pem"}, ""},
		{"untrusted", &TLS{}, probe.ReasonTLSCertUntrusted},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := attempt(t, a.dir, func(h *house) probe.Settings {
				s := newTCP(h).(*TCP)
				s.Address, s.TLS = "host.example:"+port, test.tls
				s.Dialogue = []TCPStep{{Expect: "^hello\n"}}
				return s
			})
			if got.Reason != test.reason || got.TLS == nil {
				t.Errorf("attempt is %+v (%v), want reason %q", got, got.Err, test.reason)
			}
		})
	}
}

// TestTLSFilesThatCannotBeUsed looks at the place and the words for each.
func TestTLSFilesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.pair(t, "one")
	a.pair(t, "two")
	if err := os.WriteFile(filepath.Join(a.dir, "empty"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tls  TLS
		want string
	}{
		{TLS{CAFile: "gone.pem"}, `tls.ca_file is "gone.pem", want a readable file with certificates in PEM: no such file or directory`},
		{TLS{CAFile: "."}, `tls.ca_file is ".", want a readable file with certificates in PEM: is a directory`},
		{TLS{CAFile: "empty"}, `tls.ca_file is "empty", which holds no certificate, want PEM certificates`},
		{TLS{CertFile: "gone", KeyFile: "one.key"}, `tls.cert_file is "gone", want a readable file with a certificate in PEM: no such file or directory`},
		{TLS{CertFile: "one.pem", KeyFile: "gone"}, `tls.key_file is "gone", want a readable file with a private key in PEM: no such file or directory`},
		{TLS{CertFile: "one.pem", KeyFile: "two.key"}, `tls.cert_file is "one.pem", want the certificate of key_file "two.key": tls: private key does not match public key`},
	} {
		for _, s := range []probe.Settings{&HTTP{URL: "https://h/", TLS: &test.tls, house: newHouse(nil, "")}, &TCP{Address: "h:1", TLS: &test.tls, house: newHouse(nil, "")}} {
			_, err := s.Prober(probe.Env{Dir: a.dir})
			var f *probe.Fault
			if !errors.As(err, &f) || f.Error() != test.want || f.Warning {
				t.Errorf("%T says %v, want %s", s, err, test.want)
			}
		}
	}
}

// TestTLSKeys holds that connections are shared exactly where TLS is the same.
func TestTLSKeys(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.pair(t, "one")
	a.pair(t, "two")
	seen := map[string]TLS{}
	for _, s := range []TLS{
		{}, {ServerName: "a"}, {ServerName: "b"}, {InsecureSkipVerify: true}, {MinVersion: "TLS13"}, {CAFile: "ca.pem"}, {CAFile: "one.pem"},
		{CertFile: "one.pem", KeyFile: "one.key"}, {CertFile: "two.pem", KeyFile: "two.key"}, {CAFile: "ca.pem", ServerName: "a"},
	} {
		home, abroad, err := new(house).tls(&s, a.dir)
		if err != nil {
			t.Fatal(err)
		}
		again, _, _ := new(house).tls(&s, a.dir)
		if again.Key != home.Key {
			t.Errorf("%+v has two keys", s)
		}
		for _, key := range []string{home.Key, abroad.Key} {
			if other, taken := seen[key]; taken && other != s {
				t.Errorf("%+v and %+v have one key", s, other)
			}
			seen[key] = s
		}
	}
}

// TestHTTPVersionsAfterARedirect begins with h2c and is led to TLS, where that cannot be.
func TestHTTPVersionsAfterARedirect(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	version := func(rw http.ResponseWriter, r *http.Request) { rw.Header().Set("X-Version", r.Proto) }
	second := a.secure(t, &tls.Config{Certificates: []tls.Certificate{a.pair(t, "server", "host.example")}}, version)
	u, _ := url.Parse(second)
	first := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if version(rw, r); r.URL.Path == "/away" {
			http.Redirect(rw, r, "https://host.example:"+u.Port()+"/", http.StatusFound)
		}
	}))
	first.Config.Protocols = new(http.Protocols)
	first.Config.Protocols.SetUnencryptedHTTP2(true)
	first.Start()
	t.Cleanup(first.Close)
	for path, hops := range map[string]int{"/": 0, "/away": 1} {
		got := attempt(t, a.dir, func(h *house) probe.Settings {
			s := newHTTP(h).(*HTTP)
			s.URL, s.Version, s.TLS = first.URL+path, "h2c", &TLS{CAFile: "ca.pem"}
			s.Expect.Headers = map[string]HeaderRule{"X-Version": {Equals: "HTTP/2.0"}}
			return s
		})
		if !got.OK || len(got.HTTP.Hops) != hops || got.HTTP.Version != "HTTP/2.0" {
			t.Errorf("%s: attempt is %+v (%v), want one over HTTP/2 with %d hops", path, got, got.Err, hops)
		}
	}
}
