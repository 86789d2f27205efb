package script_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"sonde/probe/conn/memnet"
	"sonde/probe/script"
)

// peer is an HTTP/2 server written frame by frame. Its lock guards what it writes.
type peer struct {
	sync.Mutex
	*http2.Framer
	c   *memnet.Conn
	buf bytes.Buffer
	enc *hpack.Encoder
}

// http2 serves a connection of HTTP/2 without TLS, each stream on its own.
func (w *world) http2(c *memnet.Conn) {
	r := bufio.NewReader(c)
	if _, err := io.ReadFull(r, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	time.Sleep(time.Nanosecond) // on the way, which is longer than it takes to send the first request
	p := &peer{Framer: http2.NewFramer(c, r), c: c}
	p.enc = hpack.NewEncoder(&p.buf)
	p.WriteSettings()
	ctx, end := context.WithCancel(context.Background())
	defer end()
	streams := map[uint32]context.CancelFunc{}
	for {
		f, err := p.ReadFrame()
		if err != nil {
			return
		}
		switch f := f.(type) {
		case *http2.HeadersFrame:
			w.asked()
			of, cancel := context.WithCancel(ctx)
			streams[f.StreamID] = cancel
			go w.stream(of, p, f.StreamID, w.step())
		case *http2.RSTStreamFrame:
			if cancel := streams[f.StreamID]; cancel != nil {
				cancel()
			}
		}
	}
}

// fields is an encoded header.
func (p *peer) fields(s *script.Step) []byte {
	p.buf.Reset()
	p.enc.WriteField(hpack.HeaderField{Name: ":status", Value: fmt.Sprint(status(s))})
	for name, values := range s.Headers {
		p.enc.WriteField(hpack.HeaderField{Name: strings.ToLower(name), Value: values[0]})
	}
	p.enc.WriteField(hpack.HeaderField{Name: "content-length", Value: fmt.Sprint(length(s))})
	return p.buf.Bytes()
}

// stream answers one request.
func (w *world) stream(ctx context.Context, p *peer, id uint32, s *script.Step) {
	time.Sleep(time.Nanosecond) // the request is on its way to the last byte
	if w.sleep(ctx, s.Delay.Header) != nil {
		return
	}
	switch {
	case s.H2 != "" || s.Stale:
		p.instead(s, id)
		return
	case s.Hang == "header", w.ended(s, "header", p.c):
		return
	}
	p.Lock()
	early := s.Reset == "mid_header" || s.Cut == "mid_header"
	p.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: p.fields(s), EndHeaders: !early, EndStream: length(s) == 0})
	p.Unlock()
	if w.ended(s, "mid_header", p.c) || length(s) == 0 {
		return
	}
	if !w.pieces(ctx, s, func(b []byte) bool { return p.data(id, false, b) == nil }) || s.Hang == "body" || w.ended(s, "body", p.c) {
		return
	}
	p.data(id, true, nil)
}

func (p *peer) data(id uint32, end bool, b []byte) error {
	p.Lock()
	defer p.Unlock()
	for len(b) > 16<<10 {
		if err := p.WriteData(id, false, b[:16<<10]); err != nil {
			return err
		}
		b = b[16<<10:]
	}
	return p.WriteData(id, end, b)
}

// ended ends the connection at a place, when the step says so.
func (w *world) ended(s *script.Step, at string, c *memnet.Conn) bool {
	switch at {
	case string(s.Reset):
		time.Sleep(time.Nanosecond)
		c.Abort()
	case string(s.Cut):
		c.CloseWrite()
	default:
		return false
	}
	return true
}

// instead is what HTTP/2 does instead of answering.
func (p *peer) instead(s *script.Step, id uint32) {
	p.Lock()
	defer p.Unlock()
	switch {
	case s.Stale:
		p.c.CloseWrite()
	case s.H2 == "refused":
		p.WriteRSTStream(id, http2.ErrCodeRefusedStream)
	case s.H2 == "stream_reset":
		p.WriteRSTStream(id, http2.ErrCodeInternal)
	default:
		p.WriteGoAway(id, http2.ErrCodeNo, nil)
		p.c.CloseWrite()
	}
}
