package kinds_test

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// serveHTTP2 plays a turn for each request that comes, each on a goroutine of its own, so that one
// stream may be silent while others are answered.
func (p *peer) serveHTTP2() {
	if _, err := io.ReadFull(p.r, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	p.frames, p.write = http2.NewFramer(p, p.r), &sync.Mutex{}
	p.frames.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	p.framed(func() error { return p.frames.WriteSettings() })
	open := map[uint32]*seen{}
	for {
		f, err := p.frames.ReadFrame()
		if err != nil {
			return
		}
		id, ended := f.Header().StreamID, f.Header().Flags.Has(http2.FlagDataEndStream)
		switch f := f.(type) {
		case *http2.MetaHeadersFrame:
			open[id] = seenIn(f)
			if t, early := p.site.take(atHeader); early {
				p.site.saw(*open[id])
				delete(open, id)
				p.play(t, id)
				continue
			}
		case *http2.DataFrame:
			if r := open[id]; r != nil {
				r.body += string(f.Data())
			}
		default:
			continue
		}
		if r := open[id]; r != nil && ended {
			delete(open, id)
			p.site.saw(*r)
			p.playNext(id)
		}
	}
}

// seenIn is what a header says of its request.
func seenIn(f *http2.MetaHeadersFrame) *seen {
	r := &seen{method: f.PseudoValue("method"), path: f.PseudoValue("path")}
	r.path, _, _ = strings.Cut(r.path, "?")
	for _, field := range f.RegularFields() {
		switch field.Name {
		case "idempotency-key":
			r.key = field.Value
		case "authorization":
			r.credentials = field.Value
		}
	}
	return r
}

func (p *peer) playNext(stream uint32) {
	t, ok := p.site.take(atRequest)
	if !ok {
		p.site.lab.t.Errorf("a request came to %s out of turn", p.site.ip)
		return
	}
	p.play(t, stream)
}

func (p *peer) play(t turn, stream uint32) {
	own := *p
	own.stream = stream
	p.site.lab.served.Go(func() { t.serve(&own) })
}

// framed writes frames that belong together.
func (p *peer) framed(f func() error) bool {
	p.write.Lock()
	defer p.write.Unlock()
	return f() == nil
}

// header writes a response's header, in as many frames as it takes.
func (p *peer) header(code int, last bool, lines []string) bool {
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	e.SetMaxDynamicTableSize(0) // each header stands for itself
	e.WriteField(hpack.HeaderField{Name: ":status", Value: strconv.Itoa(code)})
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		e.WriteField(hpack.HeaderField{Name: strings.ToLower(name), Value: value})
	}
	return p.framed(func() error {
		part := block.Next(maxFrame)
		err := p.frames.WriteHeaders(http2.HeadersFrameParam{StreamID: p.stream, BlockFragment: part, EndHeaders: block.Len() == 0, EndStream: last})
		for err == nil && block.Len() > 0 {
			part = block.Next(maxFrame)
			err = p.frames.WriteContinuation(p.stream, block.Len() == 0, part)
		}
		return err
	})
}

// maxFrame is the most that a frame holds unless it is agreed otherwise.
const maxFrame = 16 << 10

func (p *peer) data(text string, last bool) bool {
	return p.framed(func() error { return p.frames.WriteData(p.stream, last, []byte(text)) })
}

// Turns of HTTP/2.

// resets ends the stream with a code.
func resets(code http2.ErrCode) turn {
	return turn{serve: func(p *peer) {
		p.framed(func() error { return p.frames.WriteRSTStream(p.stream, code) })
	}}
}

// goaway says GOAWAY with the last stream that is processed, counted from the request's own, and then
// does what the next turn does.
func goaway(off int, code http2.ErrCode, next turn) turn {
	return turn{at: next.at, serve: func(p *peer) {
		last := uint32(max(0, int(p.stream)+off))
		p.framed(func() error { return p.frames.WriteGoAway(last, code, nil) })
		next.serve(p)
	}}
}

// below and upTo are the last stream of a GOAWAY: none of ours, or the request's own.
const (
	below = -1 << 16
	upTo  = 0
)
