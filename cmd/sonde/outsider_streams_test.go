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
	seen, at := listenOutside(t, func(c net.Conn) {
		c.(*outside).seen.add()
		twoStreams(c)
	})
	text := strings.ReplaceAll(outsiderDefaults+`
  - {name: silent, retry: {attempts: 1}, http: {url: "http://<AT>/silent", version: h2c}}
  - {name: talking, retry: {attempts: 1}, http: {url: "http://<AT>/talking", version: h2c}}
`, "<AT>", at)
	got := onceJSON(t, exec.Command("sonde"), text)
	up := passed("up", 1)
	up.Version = http20
	for i, want := range []wanted{down("limit_sock_read", "attempts", 1, "unanswered", "wait"), up} {
		o := outsider{name: got[i].Probe, want: want}
		t.Run(o.name, func(t *testing.T) { o.judge(t, got[i], seen) })
	}
	if took := got[1].Duration; took < 1 {
		t.Errorf("the stream that talks took %v s, want 1 or more: the other has ended before", took)
	}
	if n := seen.count(); n != 1+2 {
		t.Errorf("%d connections and requests came, want one connection for two requests", n)
	}
}

// twoStreams answers /talking with a body that takes its time, and anything else not at all.
func twoStreams(c net.Conn) {
	framed(func(s *frameServer, id uint32) {
		if s.path != "/talking" {
			return
		}
		s.header(id, "200", false)
		for range 12 {
			c.(*outside).pause(100 * time.Millisecond)
			if s.WriteData(id, false, []byte("x")) != nil {
				return
			}
		}
		s.WriteData(id, true, nil)
	})(c)
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
