package conn_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// FuzzProxy answers CONNECT with arbitrary bytes in arbitrary pieces, and goes on with them as what the target
// says: never a panic, never past a limit, only the proxy's reasons before there is a tunnel.
func FuzzProxy(f *testing.F) {
	for _, seed := range []string{
		"", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n" + ok200, "HTTP/1.0 407 X\r\nContent-Length: 3\r\n\r\nabc",
		"HTTP/1.1 100 X\r\n\r\nHTTP/1.1 204 X\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00", "HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\n\r\n", "SSH-2.0-x\r\n",
	} {
		f.Add(byte(7), true, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, piece byte, closes bool, text []byte) {
		if len(text) > 1<<17 {
			return
		}
		bubble(t, conn.Options{}, func(w *world) {
			w.script(proxyAddress, func(c *memnet.Conn, r *bufio.Reader) {
				http.ReadRequest(r)
				for rest := text; len(rest) > 0; {
					n, err := c.Write(rest[:min(int(piece)+1, len(rest))])
					if err != nil {
						return
					}
					rest = rest[n:]
				}
				if closes {
					c.CloseWrite()
				}
				io.Copy(io.Discard, r)
			})
			r := throughProxy()
			got := w.get(r)
			if got.took > standard.Total {
				t.Errorf("took %v", got.took)
			}
			early := got.Phase < probe.PhaseTLS && !got.OK
			switch got.Reason {
			case probe.ReasonProxyConnect, probe.ReasonProxyStatus, probe.ReasonLimitConnect:
				if !early || got.Evidence != probe.NeverSent {
					t.Errorf("got %s in phase %s with evidence %s", got.Reason, got.Phase, got.Evidence)
				}
			default:
				if early {
					t.Errorf("got %s in phase %s: %v", got.Reason, got.Phase, got.Err)
				}
			}
		})
	})
}

const proxyAddress = "192.0.2.3:3128"

// throughProxy is a route of HTTP/2 without TLS, so that what follows the tunnel can be anything.
func throughProxy() *conn.Route {
	return &conn.Route{Address: address, Version: conn.H2C, Connection: kept, Proxy: &conn.Proxy{Address: proxyAddress, Key: "a"}}
}

// TestProxiesDoNotShare has two proxies of one address that differ in what is sent to them: a connection that
// one opened does not serve the other.
func TestProxiesDoNotShare(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		var credentials []string
		w.script(proxyAddress, func(c *memnet.Conn, r *bufio.Reader) {
			for {
				req, err := request(r)
				if err != nil {
					return
				}
				credentials = append(credentials, req.RequestURI+" "+req.Header.Get("Proxy-Authorization"))
				io.WriteString(c, ok200)
			}
		})
		routes := []*conn.Route{{}, {}}
		for i, key := range []string{"a", "b"} {
			*routes[i] = *route()
			routes[i].Proxy = &conn.Proxy{Address: proxyAddress, Key: key, Header: http.Header{"Proxy-Authorization": {key}}}
		}
		for i, want := range []bool{false, false, true, true} {
			if got := w.get(routes[i%2]); !got.OK || got.Reused != want || got.RemoteAddress != proxyAddress {
				t.Errorf("request %d: %+v", i, got.Attempt)
			}
		}
		const uri = "http://192.0.2.1:80/ "
		if want := []string{uri + "a", uri + "b", uri + "a", uri + "b"}; !slices.Equal(credentials, want) {
			t.Errorf("the proxy was asked %q, want %q", credentials, want)
		}
	})
}

// TestWhatTheTargetSaysAtOnce comes with the proxy's answer in one piece, and is read.
func TestWhatTheTargetSaysAtOnce(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.script(proxyAddress, func(c *memnet.Conn, r *bufio.Reader) {
			http.ReadRequest(r)
			io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n220 hello\r\n")
			io.Copy(io.Discard, r)
		})
		c := w.Start(context.Background(), standard)
		r := throughProxy()
		conn, err := c.Dial(r)
		if err != nil {
			t.Fatal(err)
		}
		text := make([]byte, 11)
		time.Sleep(time.Second)
		if _, err := io.ReadFull(conn, text); err != nil || string(text) != "220 hello\r\n" {
			t.Errorf("read %q, %v", text, err)
		}
		if a := c.End(nil); !a.OK || a.Phases[probe.PhaseConnect] != 0 {
			t.Errorf("%+v", a)
		}
	})
}
