package kinds

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"sonde/probe"
)

// headBytes is how much of the body of a failure is kept.
const headBytes = 1 << 10

// chunks are the buffers through which bodies go that nobody keeps. When targets are slow, thousands are in
// use at a time.
var chunks = sync.Pool{New: func() any { return new([chunkBytes]byte) }}

const chunkBytes = 8 << 10

// read reads the body to its end, and matches it where there are rules for it.
func (x *exchange) read(resp *http.Response) error {
	if x.prober.rules == nil {
		return x.discard(resp)
	}
	return x.match(resp)
}

// discard reads to the end and keeps only the beginning, in case the body breaks off.
func (x *exchange) discard(resp *http.Response) error {
	buf := chunks.Get().(*[chunkBytes]byte)
	defer chunks.Put(buf)
	kept := 0 // bytes of the body's beginning, at the beginning of buf
	for {
		n, err := resp.Body.Read(buf[kept:])
		x.facts.BodyBytes += int64(n)
		if kept < headBytes {
			kept = min(kept+n, headBytes)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			x.keepHead(buf[:kept], true)
			return err
		}
	}
}

// match gathers the body and holds it against the rules.
func (x *exchange) match(resp *http.Response) error {
	rules := x.prober.rules
	g := rules.room.gather()
	defer rules.room.release(g)
	err := rules.room.read(g, resp.Body, int(rules.max)+1)
	x.facts.BodyBytes = int64(len(g.data))
	switch {
	case err == noRoom:
		x.failure = noRoom
	case err == nil:
		wrong := rules.wrong(g.data)
		if wrong == nil {
			return nil
		}
		x.failure = assertion(asSent(resp, wrong))
		err = x.failure
	}
	x.keepHead(g.data[:min(len(g.data), headBytes)], len(g.data) > headBytes)
	resp.Body.Close()
	return err
}

// asSent says of a body that its sender has compressed why it may not be what is expected: it is matched as it
// came, for what it would unpack to has no bound.
func asSent(resp *http.Response, wrong error) error {
	encoding := resp.Header.Get("Content-Encoding")
	if encoding == "" || strings.EqualFold(encoding, "identity") {
		return wrong
	}
	return fmt.Errorf("%w; it is compressed (Content-Encoding %q), and is matched as it came", wrong, probe.Clip(encoding, 100))
}

// readHead reads the beginning of the body of a response that has failed already.
func (x *exchange) readHead(resp *http.Response) {
	var head [headBytes]byte
	n, err := 0, error(nil)
	for n < headBytes && err == nil {
		var more int
		more, err = resp.Body.Read(head[n:])
		n += more
	}
	x.facts.BodyBytes = int64(n)
	x.keepHead(head[:n], err != io.EOF)
}

// keepHead keeps the beginning of a body, fit to be shown; cut says that the body went on.
func (x *exchange) keepHead(head []byte, cut bool) {
	text := strings.ToValidUTF8(string(x.prober.secrets.Mask(head, cut)), "\uFFFD")
	x.facts.BodyHead = probe.Clip(text, headBytes)
}
