package conn_test

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"io"
	"strings"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// Kinds of TLS records (RFC 8446, section 5.1).
const (
	recordSpec      = 20
	recordAlert     = 21
	recordHandshake = 22
	recordData      = 23
)

// record is a record that is not encrypted.
func record(kind byte, content string) string {
	return string([]byte{kind, 3, 3, byte(len(content) >> 8), byte(len(content))}) + content
}

// inHandshake takes the first bytes of the client's, writes a text and another without end, and reads on.
func inHandshake(first string, kib int, again ...string) func(f *flooder) {
	return func(f *flooder) {
		f.c.Read(make([]byte, 1<<10))
		go io.Copy(io.Discard, f.c)
		f.says(first)
		if len(again) > 0 {
			f.floods(kib, again...)
		}
	}
}

var (
	ofAlert  = reasons(probe.ReasonTLSAlert)
	ofNotTLS = reasons(probe.ReasonTLSNotTLS)
	// A handshake message of 16 MiB, and one that is as long as one of a certificate may be.
	greatMessage = "\x02\xff\xff\xff" + strings.Repeat("x", 1000)
)

var tlsFloods = []flood{
	{name: "warnings", serve: inHandshake("", 16, record(recordAlert, "\x01\x70")), reasons: ofAlert},
	{name: "records of nothing", serve: inHandshake("", 16, record(recordHandshake, "")), reasons: ofAlert},
	{name: "ChangeCipherSpec", serve: inHandshake("", 16, record(recordSpec, "\x01")), reasons: ofNotTLS},
	{name: "HelloRequest", serve: inHandshake("", 16, record(recordHandshake, "\x00\x00\x00\x00")), reasons: ofAlert},
	{name: "a message of 16 MiB", serve: inHandshake(record(recordHandshake, greatMessage), 512, record(recordHandshake, greatMessage)), reasons: ofAlert},
	{name: "a record that is too long", serve: inHandshake("\x16\x03\x03\xff\xff", 64, "x"), reasons: ofNotTLS},
	{name: "data before its time", serve: inHandshake("", 64, record(recordData, "hello")), reasons: ofNotTLS},
	{name: "bytes without end", serve: inHandshake("", 64, "x"), reasons: ofNotTLS},
	{name: "a handshake, one byte at a time", serve: func(f *flooder) {
		for text := record(recordHandshake, greatMessage); !f.c.Closed(); text = text[1:] {
			time.Sleep(50 * time.Millisecond)
			f.says(text[:1])
		}
	}, reasons: reasons(probe.ReasonLimitSockConnect)},
}

// keyUpdate begins the message after which the server's records have another key.
const keyUpdate = "\x18\x00\x00\x01"

// encryptedFloods come when TLS is done, in the wait for the answer, and are written with the server's own key.
var encryptedFloods = []struct {
	name    string
	kind    byte
	content string
	reasons []probe.Reason
}{
	{"tickets", recordHandshake, "\x04\x00\x00\x0e\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x01t\x00\x00", ofProtocol},
	{"key updates", recordHandshake, keyUpdate + "\x00", ofProtocol},
	{"key updates that ask for one", recordHandshake, keyUpdate + "\x01", ofProtocol},
	{"a wish to renegotiate", recordHandshake, "\x00\x00\x00\x00", ofProtocol},
	{"records of nothing", recordData, "", ofProtocol},
	{"warnings", recordAlert, "\x01\x5a", ofProtocol},
	{"a message of 16 MiB", recordHandshake, greatMessage, ofProtocol},
}

// TestTLSFloods has records come without end, in the handshake and after it.
func TestTLSFloods(t *testing.T) {
	ours := newAuthority(t)
	cert := ours.certificate(t, "192.0.2.1", bubbleStart.Add(-time.Hour))
	all := tlsFloods
	for _, x := range encryptedFloods {
		all = append(all, flood{name: "after the handshake: " + x.name, reasons: x.reasons, serve: func(f *flooder) {
			f.encrypted(cert, x.kind, x.content)
		}})
	}
	for _, x := range all {
		x.version = conn.V1
		t.Run(x.name, func(t *testing.T) {
			bubble(t, conn.Options{}, func(w *world) {
				w.script(address, func(c *memnet.Conn, _ *bufio.Reader) { x.serve(&flooder{t: w.t, w: c, c: c}) })
				r := route()
				r.Version, r.TLS = x.version, &conn.TLS{Config: &tls.Config{RootCAs: ours.pool}, Key: "a"}
				x.judge(w.t, x.attempt(w.t, w.Network, r))
			})
		})
	}
}

// encrypted does the handshake, takes the request, and then writes records of its own without end.
func (f *flooder) encrypted(cert tls.Certificate, kind byte, content string) {
	var keys bytes.Buffer
	s := tls.Server(f.c, &tls.Config{
		Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13, KeyLogWriter: &keys, SessionTicketsDisabled: true,
	})
	if _, err := request(bufio.NewReader(s)); err != nil {
		f.t.Errorf("reading the request: %v", err)
		return
	}
	if suite := s.ConnectionState().CipherSuite; suite != tls.TLS_AES_128_GCM_SHA256 {
		f.t.Skipf("the server's cipher is %s, and its records are not known to be written here", tls.CipherSuiteName(suite))
	}
	go io.Copy(io.Discard, f.c)
	w := newSealer(f.t, keys.String())
	for f.beat() {
		var piece bytes.Buffer
		for range 16 << 10 / (len(content) + 30) {
			piece.Write(w.seal(kind, content))
		}
		if _, err := f.c.Write(piece.Bytes()); err != nil {
			return
		}
	}
}

// sealer writes a server's records of TLS 1.3 (RFC 8446, sections 5.2 and 7.3).
type sealer struct {
	t      testing.TB
	secret []byte
	aead   cipher.AEAD
	iv     []byte
	count  uint64
}

// newSealer makes one of the server's secret, as a key log has it.
func newSealer(t testing.TB, log string) *sealer {
	_, after, _ := strings.Cut(log, "SERVER_TRAFFIC_SECRET_0 ")
	line, _, _ := strings.Cut(after, "\n")
	_, text, _ := strings.Cut(line, " ")
	secret, err := hex.DecodeString(text)
	if err != nil || len(secret) == 0 {
		t.Fatal("the key log has no secret of the server's")
	}
	s := &sealer{t: t, secret: secret}
	s.key()
	return s
}

// key takes the key of the secret.
func (s *sealer) key() {
	block, err := aes.NewCipher(s.expand("key", 16))
	if err == nil {
		s.aead, err = cipher.NewGCM(block)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.iv, s.count = s.expand("iv", 12), 0
}

func (s *sealer) expand(label string, length int) []byte {
	label = "tls13 " + label
	out, err := hkdf.Expand(sha256.New, s.secret, string([]byte{0, byte(length), byte(len(label))})+label+"\x00", length)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// seal is the next record.
func (s *sealer) seal(kind byte, content string) []byte {
	nonce := bytes.Clone(s.iv)
	binary.BigEndian.PutUint64(nonce[4:], binary.BigEndian.Uint64(nonce[4:])^s.count)
	s.count++
	length := len(content) + 1 + s.aead.Overhead()
	head := []byte{recordData, 3, 3, byte(length >> 8), byte(length)}
	sealed := s.aead.Seal(head, nonce, append([]byte(content), kind), head)
	if strings.HasPrefix(content, keyUpdate) {
		s.secret = s.expand("traffic upd", len(s.secret))
		s.key()
	}
	return sealed
}
