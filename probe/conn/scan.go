package conn

func be32(p []byte) uint32 {
	return uint32(p[0])<<24 | uint32(p[1])<<16 | uint32(p[2])<<8 | uint32(p[3])
}

// head is the header of a frame.
type head struct {
	length int
	kind   byte
	flags  byte
	stream uint32
}

// ends is true of the last frame of a stream.
func (h head) ends() bool {
	return (h.kind == frameData || h.kind == frameHeaders) && h.flags&flagEndStream != 0
}

// scanner cuts a stream of bytes into frames, whatever pieces it comes in. It keeps at most the first
// bytes of a frame.
type scanner struct {
	skip int // bytes before the first frame
	buf  [frameHeader + 8]byte
	n    int // bytes of buf filled: the header, then the beginning of the payload
	head head
	left int // payload bytes to come
}

// scan calls f for every piece of a frame in p, first with the piece that completes the header.
func (s *scanner) scan(p []byte, f func(h head, payload []byte, first bool)) {
	if s.skip > 0 {
		k := min(s.skip, len(p))
		s.skip -= k
		p = p[k:]
	}
	for len(p) > 0 {
		first := false
		if s.n < frameHeader {
			k := copy(s.buf[s.n:frameHeader], p)
			s.n += k
			p = p[k:]
			if s.n < frameHeader {
				return
			}
			s.begin()
			first = true
		}
		k := min(s.left, len(p))
		s.n += copy(s.buf[s.n:], p[:k])
		s.left -= k
		p = p[k:]
		f(s.head, s.buf[frameHeader:s.n], first)
		if s.left == 0 {
			s.n = 0
		}
	}
}

func (s *scanner) begin() {
	b := s.buf[:]
	s.head = head{
		length: int(b[0])<<16 | int(b[1])<<8 | int(b[2]),
		kind:   b[3],
		flags:  b[4],
		stream: be32(b[5:]) &^ (1 << 31),
	}
	s.left = s.head.length
}
