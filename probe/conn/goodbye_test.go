package conn_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// A connection that is closed as planned says goodbye: over TLS its peer reads a close_notify. While it is kept,
// it holds nothing of the attempt that made it.
func TestPlannedClosesSayGoodbye(t *testing.T) {
	ca := newAuthority(t)
	cert := ca.certificate(t, "192.0.2.1", bubbleStart.Add(-time.Hour))
	for version, serve := range map[conn.Version]func(c net.Conn, r *bufio.Reader) error{conn.V1: serveOne, conn.V2: serveOneHTTP2} {
		t.Run(string(version), func(t *testing.T) {
			inBubble(t, conn.Options{}, func(w *world) {
				records := make(chan byte, 1)
				w.script(address, func(c *memnet.Conn, _ *bufio.Reader) {
					raw := &recorded{Conn: c}
					// TLS 1.2 shows what its records are.
					s := tls.Server(raw, &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}, MaxVersion: tls.VersionTLS12})
					serve(s, bufio.NewReader(s))
					records <- raw.last()
				})
				r := route()
				r.Version, r.TLS = version, &conn.TLS{Config: &tls.Config{RootCAs: ca.pool}, Key: "a"}
				if got := w.get(r); !got.OK {
					t.Fatal(got.Err)
				}
				if links, calls := w.Kept(); links != 1 || calls != 0 {
					t.Errorf("%d connections are kept, and hold %d calls, want one that holds none", links, calls)
				}
				time.Sleep(kept.IdleTimeout)
				if got := <-records; got != alertRecord {
					t.Errorf("the last that the peer has read is a record of type %d, want %d, an alert", got, alertRecord)
				}
			})
		})
	}
}

// alertRecord is the type of a TLS record that holds an alert.
const alertRecord = 21

// recorded keeps what is read from a connection.
type recorded struct {
	net.Conn
	read []byte
}

func (c *recorded) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read = append(c.read, p[:n]...)
	return n, err
}

// last is the type of the last whole TLS record.
func (c *recorded) last() (kind byte) {
	for b := c.read; len(b) >= 5; {
		size := 5 + int(b[3])<<8 + int(b[4])
		kind, b = b[0], b[min(size, len(b)):]
	}
	return kind
}

// serveOne answers a request, and returns how the connection ended.
func serveOne(c net.Conn, r *bufio.Reader) error {
	if _, err := request(r); err != nil {
		return err
	}
	io.WriteString(c, ok200)
	_, err := r.ReadByte()
	return err
}

// serveOneHTTP2 is serveOne on HTTP/2.
func serveOneHTTP2(c net.Conn, r *bufio.Reader) error {
	if _, err := io.ReadFull(r, make([]byte, len(http2.ClientPreface))); err != nil {
		return err
	}
	p := newPeer(c, r)
	p.WriteSettings()
	p.answer()
	for {
		if _, err := p.ReadFrame(); err != nil {
			return err
		}
	}
}

// A peer that reads nothing keeps nobody waiting for its goodbye.
func TestAGoodbyeThatNobodyTakes(t *testing.T) {
	ca := newAuthority(t)
	cert := ca.certificate(t, "192.0.2.1", bubbleStart.Add(-time.Hour))
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(address, func(c *memnet.Conn, _ *bufio.Reader) {
			tls.Server(c, &tls.Config{Certificates: []tls.Certificate{cert}}).Handshake()
			<-w.t.Context().Done()
		})
		r := route()
		r.TLS = &conn.TLS{Config: &tls.Config{RootCAs: ca.pool, DynamicRecordSizingDisabled: true}, Key: "a"}
		call := w.Start(context.Background(), standard)
		c, err := call.Dial(r)
		synctest.Wait() // or the peer takes some of it with the end of the handshake
		if err == nil {
			const record, overhead = 16 << 10, 22
			_, err = c.Write(make([]byte, memnet.Buffer-(memnet.Buffer/record)*overhead)) // fills the pipe
		}
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		call.End(nil)
		if took := time.Since(began); took != 250*time.Millisecond {
			t.Errorf("the end took %v, want 250ms", took)
		}
	})
}
