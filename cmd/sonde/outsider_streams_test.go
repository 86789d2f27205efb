package main

import (
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// TestOutsiderTwoStreams has two probes share a connection of HTTP/2, of which one stream is silent: it runs into its
// limit, and the other, which takes longer than that, does not.
func TestOutsiderTwoStreams(t *testing.T) {
	t.Parallel()
	for stretch := 1; ; stretch *= outsiderStretch {
		both, n := tryTwoStreams(t, stretch)
		if stretch < outsiderMost && (both[0].unfinished() || both[1].unfinished()) {
			continue
		}
		for _, x := range both {
			t.Run(x.name, x.judge)
		}
		if took := both[1].got.Duration; took < float64(stretch) {
			t.Errorf("the stream that talks took %v s, want %d or more: the other has ended before", took, stretch)
		}
		if n != 1+2 {
			t.Errorf("%d connections and requests came, want one connection for two requests", n)
		}
		return
	}
}

// tryTwoStreams is one trial of both, and how many connections and requests came.
func tryTwoStreams(t *testing.T, stretch int) (both [2]trial, n int) {
	seen, at := listenOutside(t, func(c net.Conn) {
		c.(*outside).seen.add()
		twoStreams(c, 12*stretch)
	})
	text := strings.ReplaceAll(outsiderDefaults+`
  - {name: silent, retry: {attempts: 1}, http: {url: "http://<AT>/silent", version: h2c}}
  - {name: talking, retry: {attempts: 1}, timeout: {total: none}, http: {url: "http://<AT>/talking", version: h2c}}
`, "<AT>", at)
	got := onceJSON(t, exec.Command("sonde"), stretched(text, stretch))
	up := passed("up", 1)
	up.Version = http20
	for i, want := range []wanted{down("limit_sock_read", "attempts", 1, "unanswered", "wait"), up} {
		both[i] = trial{outsider: outsider{name: got[i].Probe, want: want}, got: got[i]}
	}
	return both, seen.count()
}

// twoStreams answers /talking with a body of so many pieces that takes its time, and anything else not at all. It
// reads on meanwhile: which of the requests comes first is chance.
func twoStreams(c net.Conn, pieces int) {
	framed(func(s *frameServer, id uint32) {
		if s.path == "/talking" {
			go s.talk(c.(*outside), id, pieces)
		}
	})(c)
}

// talk is an answer in so many pieces. Nothing else is written to the connection meanwhile.
func (s *frameServer) talk(c *outside, id uint32, pieces int) {
	s.header(id, "200", false)
	for range pieces {
		c.pause(100 * time.Millisecond)
		if s.WriteData(id, false, []byte("x")) != nil {
			return
		}
	}
	s.WriteData(id, true, nil)
}

// pathOf is the path that a request asks for.
func pathOf(d *hpack.Decoder, f *http2.HeadersFrame) (path string) {
	fields, err := d.DecodeFull(f.HeaderBlockFragment())
	if err != nil {
		return ""
	}
	for _, field := range fields {
		if field.Name == ":path" {
			path = field.Value
		}
	}
	return path
}
