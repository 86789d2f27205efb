package main

import (
	"bytes"
	"io"
	"net"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// frameServer is a server of HTTP/2 without TLS, frame by frame.
type frameServer struct {
	*http2.Framer
	c    net.Conn
	path string // of the request that has come
}

// framed serves each request with f, one after the other, and reads on after the last.
func framed(f func(s *frameServer, stream uint32)) func(c net.Conn) {
	return func(c net.Conn) {
		if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		s := &frameServer{Framer: http2.NewFramer(c, c), c: c}
		fields := hpack.NewDecoder(4096, nil)
		s.WriteSettings()
		for {
			frame, err := s.ReadFrame()
			if err != nil {
				return
			}
			if h, ok := frame.(*http2.HeadersFrame); ok {
				c.(*outside).seen.add()
				s.path = pathOf(fields, h)
				f(s, h.StreamID)
			}
		}
	}
}

// header answers with a status.
func (s *frameServer) header(stream uint32, status string, end bool, fields ...string) {
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	e.SetMaxDynamicTableSize(0)
	e.WriteField(hpack.HeaderField{Name: ":status", Value: status})
	for i := 0; i < len(fields); i += 2 {
		e.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	s.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: end})
}

// close closes the connection, as the end of a server's process does.
func (s *frameServer) close() { s.c.(*outside).CloseWrite() }

// http2Outsiders are servers of HTTP/2.
func http2Outsiders() []outsider {
	const h2c = `retry: {transparent: 0}, http: {url: "http://<AT>/", version: h2c}`
	half := func(s *frameServer, stream uint32) {
		s.header(stream, "200", false)
		s.WriteData(stream, false, []byte("hel"))
	}
	up := passed("up", 1)
	up.Version = http20
	body := func(reason string) wanted {
		return down(reason, "attempts", 2, "answered", "transfer").with(200, http20)
	}
	wait := func(reason, evidence string) wanted { return down(reason, "attempts", 2, evidence, "wait") }
	return []outsider{
		{"h2: all is well", framed(func(s *frameServer, id uint32) { s.header(id, "200", true) }), h2c, up, 1},
		{"h2: refuses the stream", framed(func(s *frameServer, id uint32) { s.WriteRSTStream(id, http2.ErrCodeRefusedStream) }), h2c, wait("h2_refused", "refused"), 2},
		{"h2: refuses the stream, and once more is no attempt", framed(func(s *frameServer, id uint32) { s.WriteRSTStream(id, http2.ErrCodeRefusedStream) }),
			`http: {url: "http://<AT>/", version: h2c}`, wait3("h2_refused", "refused"), 3},
		{"h2: GOAWAY below the stream", framed(func(s *frameServer, id uint32) { s.WriteGoAway(0, http2.ErrCodeNo, nil); s.close() }), h2c, wait("h2_refused", "refused"), 2},
		{"h2: GOAWAY with the stream, and closes", framed(func(s *frameServer, id uint32) { s.WriteGoAway(id, http2.ErrCodeInternal, nil); s.close() }), h2c, wait("h2_goaway", "unanswered"), 2},
		{"h2: resets the stream", framed(func(s *frameServer, id uint32) { s.WriteRSTStream(id, http2.ErrCodeInternal) }), h2c, wait("h2_stream_reset", "unanswered"), 2},
		{"h2: closes", framed(func(s *frameServer, id uint32) { s.close() }), h2c, wait("disconnected", "unanswered"), 2},
		{"h2: says nothing", framed(func(s *frameServer, id uint32) {}), h2c, wait("limit_sock_read", "unanswered"), 2},
		{"h2: resets in the body", framed(func(s *frameServer, id uint32) { half(s, id); s.WriteRSTStream(id, http2.ErrCodeInternal) }), h2c, body("body_truncated"), 2},
		{"h2: closes in the body", framed(func(s *frameServer, id uint32) { half(s, id); s.close() }), h2c, body("body_truncated"), 2},
		{"h2: says nothing in the body", framed(half), h2c, body("limit_sock_read"), 2},
		{"h2: speaks HTTP/1", func(c net.Conn) { say(c, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"+silenceEnd) }, h2c,
			down("protocol_error", "permanent", 1, "answered", "wait"), 0},
		{"h2: says 103 without end", framed(func(s *frameServer, id uint32) {
			for range 100_000 {
				s.header(id, "103", false, "link", "</a>")
			}
		}), h2c, down("protocol_error", "permanent", 1, "answered", "wait"), 1},
		{"h2: pushes", framed(func(s *frameServer, id uint32) {
			s.WritePushPromise(http2.PushPromiseParam{StreamID: id, PromiseID: 2, EndHeaders: true})
		}), h2c, down("protocol_error", "permanent", 1, "unanswered", "wait"), 1},
		{"h2: gives no room for an upload", framed(func(s *frameServer, id uint32) {
			s.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		}), `timeout: {total: 700ms}, retry: {attempts: 1}, http: {url: "http://<AT>/", version: h2c, method: PUT, body: "` + string(bytes.Repeat([]byte("x"), 1<<20)) + `"}`,
			down("limit_total", "attempts", 1, "unanswered", "write"), 1},
	}
}

// wait3 is of two attempts and one that is transparent.
func wait3(reason, evidence string) wanted {
	w := down(reason, "attempts", 3, evidence, "wait")
	w.WaitSource = "" // the first is sent again at once
	return w
}
