package conn

import (
	"io"
	"sync"
)

// HTTP/2 frame types and codes that matter here (RFC 9113, section 6).
const (
	frameData         = 0
	frameHeaders      = 1
	frameReset        = 3
	frameSettings     = 4
	frameGoaway       = 7
	frameContinuation = 9

	flagEndStream     = 1
	flagPadded        = 8
	codeRefusedStream = 7
	frameHeader       = 9
	prefaceLen        = 24
)

// frames watches the frames of an HTTP/2 connection pass, and keeps what Go's client does not tell: by
// stream, whether its request went out, whether an answer came, how it was reset; and of the
// connection, which streams a GOAWAY leaves out. So evidence never comes from the text of an error.
type frames struct {
	mu       sync.Mutex
	in, out  scanner
	last     uint32  // the last stream whose HEADERS have gone out
	next     *stream // whose HEADERS go out next
	streams  map[uint32]*stream
	goaway   *goaway
	writes   int    // so many were begun
	got      uint64 // bytes read
	idle     int    // bytes read since the last stream ended
	waste    waste
	wasting  head // the last frame that brought nothing
	begins   bool
	notHTTP2 bool
}

// stream is what passed of one request. The lock of frames guards it.
type stream struct {
	id       uint32 // 0 before its HEADERS go out
	call     *Call
	wholeIn  int    // the write with which its last frame went out; 0 before
	unsent   bool   // no byte of it went out after all
	before   uint64 // bytes read on the connection when it began
	answered bool
	reset    bool
	code     uint32
	over     bool // nobody looks at it any more
}

type goaway struct{ last, code uint32 }

func newFrames() *frames {
	return &frames{streams: map[uint32]*stream{}, out: scanner{skip: prefaceLen}}
}

// write writes to w and notes the streams that begin.
func (f *frames) write(p []byte, w io.Writer) (int, error) {
	before := f.goOut(p)
	n, err := w.Write(p)
	if err != nil {
		f.takeBack(before, n == 0)
	}
	return n, err
}

// goOut notes what is about to be written, and returns the last stream before it.
func (f *frames) goOut(p []byte) (before uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before = f.last
	f.writes++
	f.out.scan(p, f.sent)
	return before
}

// takeBack says that the last write failed: no request came to its end with it, and when none of it went out the
// streams above the given one did not even begin.
func (f *frames) takeBack(above uint32, all bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, s := range f.streams {
		if s.wholeIn == f.writes {
			s.wholeIn = 0
		}
		s.unsent = s.unsent || all && id > above
	}
}

// sent notes a frame of ours, before it goes out.
func (f *frames) sent(h head, payload []byte, first bool) {
	if !first {
		return
	}
	if f.waste.brings(h.brings(payload), 0); h.kind == frameHeaders {
		f.waste = 0 // of a connection that lives for long, an honest peer's pings add up
	}
	if s := f.streams[h.stream]; s != nil && h.ends() {
		s.wholeIn = f.writes
	}
	if h.kind != frameHeaders || h.stream <= f.last {
		return
	}
	f.last = h.stream
	if s := f.next; s != nil && !s.over {
		s.id, s.before = h.stream, f.got
		if h.ends() {
			s.wholeIn = f.writes
		}
		f.streams[h.stream] = s
	}
	f.next = nil
}

// announce says whose HEADERS go out next; nil is nobody's. The HTTP/2 client calls it, through a trace,
// while it encodes them, and lets nobody else write in between.
func (f *frames) announce(s *stream) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = s
}

// forget lets go of a stream that has ended.
func (f *frames) forget(s *stream) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.over = true
	delete(f.streams, s.id)
}

// whole is true when all of the stream's request went out.
func (f *frames) whole(s *stream) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return s != nil && s.wholeIn > 0 && !s.unsent
}

// read notes what came, and is an error when the peer floods the connection.
func (f *frames) read(p []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got += uint64(len(p))
	if f.idle += len(p); len(f.streams) > 0 {
		f.idle = 0
	}
	f.in.scan(p, f.came)
	switch {
	case f.notHTTP2:
	case f.waste.tooMuch():
		return &floodError{f.wasting.name()}
	case f.idle > maxIdle:
		return errFlood
	}
	return nil
}

// maxIdle bounds what is read of a connection while nobody uses it: what may still be on its way of
// streams that were given up, and pings.
const maxIdle = 16 << 20

// came notes a piece of a frame of the peer's; payload is what has come of it so far, as far as kept.
func (f *frames) came(h head, payload []byte, first bool) {
	if first && !f.begins {
		f.begins = true
		f.notHTTP2 = h.kind != frameSettings
	}
	if f.notHTTP2 {
		return
	}
	if first {
		f.weigh(h, payload)
	}
	switch h.kind {
	case frameGoaway:
		if len(payload) >= 8 && h.length >= 8 {
			f.goaway = &goaway{last: be32(payload) &^ (1 << 31), code: be32(payload[4:])}
		}
		return
	case frameData, frameHeaders, frameContinuation:
	case frameReset:
	default:
		return
	}
	s := f.of(h.stream)
	if s == nil {
		return
	}
	if h.kind == frameReset {
		if len(payload) >= 4 {
			s.reset, s.code = true, be32(payload)
		}
		return
	}
	s.answered = s.call.heard() || s.answered
}

// of is whose stream it is, nil when it is nobody's. The HTTP/2 client knows its next stream before the HEADERS
// go out, and takes what a peer says of it that does not wait for them.
func (f *frames) of(id uint32) *stream {
	if s := f.next; id > f.last && id%2 == 1 && s != nil && !s.over {
		return s
	}
	return f.streams[id]
}

// weigh notes what a frame of the peer's brings; payload is what has come of it with its header. One that brings
// but a byte is no waste: how small the pieces of a body are is the peer's to say, and the limits end it.
func (f *frames) weigh(h head, payload []byte) {
	if brings := h.brings(payload); brings > 0 {
		f.waste.brings(brings, 0)
		return
	}
	f.waste.brings(0, frameHeader+h.length)
	f.wasting = h
}

// fate is what passed of one stream, and of its connection.
type fate struct {
	stream   stream
	went     bool // the request has begun to go out
	goaway   bool // the peer has said GOAWAY
	refused  bool // the peer guarantees that it has not processed the request
	silent   bool // no byte came on the connection since the request went out
	notHTTP2 bool
}

// fateOf is what passed of a stream; nil is one that never began.
func (f *frames) fateOf(s *stream) fate {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := fate{goaway: f.goaway != nil, notHTTP2: f.notHTTP2}
	if s != nil {
		r.stream, r.went = *s, s.id > 0 && !s.unsent
		r.silent = s.id > 0 && f.got == s.before
	}
	switch {
	case r.stream.answered:
	case r.stream.reset && r.stream.code == codeRefusedStream:
		r.refused = true
	case r.went:
		r.refused = r.goaway && f.goaway.last < s.id
	default:
		r.refused = r.goaway // it would have been above any stream that the GOAWAY lets pass
	}
	return r
}

// codeOf is the code with which the peer has reset a stream, or else ended the connection.
func (f *frames) codeOf(s *stream) (code uint32, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case s != nil && s.reset:
		return s.code, true
	case f.goaway != nil:
		return f.goaway.code, true
	}
	return 0, false
}
