package conn_test

import (
	"bufio"
	"io"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"sonde/probe"
	"sonde/probe/conn"
	"sonde/probe/conn/memnet"
)

// FuzzServer answers an attempt with arbitrary bytes in arbitrary pieces: never a panic, never an
// unknown reason, never past total, and nothing is left.
func FuzzServer(f *testing.F) {
	settings := "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	for _, seed := range []string{
		ok200, "", "HTTP/1.1 200 OK\r\n\r\nx", "HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "HTTP/1.1 103 X\r\n\r\n" + ok200,
		ok200 + ok200, "SSH-2.0-x\r\n", "HTTP/1.1 204 X\r\n\r\nx",
	} {
		f.Add(false, byte(7), true, []byte(seed))
	}
	for _, seed := range []string{
		"", "\x00\x00\x01\x01\x05\x00\x00\x00\x01\x88", "\x00\x00\x01\x01\x04\x00\x00\x00\x01\x88\x00\x00\x05\x00\x01\x00\x00\x00\x01hello",
		"\x00\x00\x04\x03\x00\x00\x00\x00\x01\x00\x00\x00\x07", "\x00\x00\x08\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
	} {
		f.Add(true, byte(3), false, []byte(settings+seed))
	}
	f.Fuzz(func(t *testing.T, h2 bool, piece byte, closes bool, text []byte) {
		if len(text) > 1<<16 {
			return
		}
		fuzzed(t, h2, int(piece)+1, closes, text)
	})
}

func fuzzed(t *testing.T, h2 bool, piece int, closes bool, text []byte) {
	bubble(t, conn.Options{}, func(w *world) {
		w.script(address, func(c *memnet.Conn, r *bufio.Reader) {
			if h2 {
				io.ReadFull(r, make([]byte, len(http2.ClientPreface)))
				http2.NewFramer(io.Discard, r).ReadFrame()
			} else {
				request(r)
			}
			for rest := text; len(rest) > 0; {
				n, err := c.Write(rest[:min(piece, len(rest))])
				if err != nil {
					return
				}
				rest = rest[n:]
				if len(text)/piece < 1000 {
					time.Sleep(time.Millisecond)
				}
			}
			if closes {
				c.CloseWrite()
			}
			io.Copy(io.Discard, r)
		})
		r := route()
		if h2 {
			r.Version = conn.H2C
		}
		for range 2 {
			got := w.get(r)
			if got.took > standard.Total {
				t.Errorf("took %v", got.took)
			}
			switch got.Reason {
			case probe.ReasonInternal, probe.ReasonConfig, probe.ReasonPoolTimeout, probe.ReasonLocalResource, probe.ReasonCanceled, probe.ReasonProberLate:
				t.Errorf("got %q: %v", got.Reason, got.Err)
			}
		}
	})
}
