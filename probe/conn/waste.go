package conn

import (
	"errors"
	"fmt"
)

// maxWaste bounds what a peer may send that brings nothing. Twice as much as what brings something is forgiven, also
// later, as for windows that are widened when an upload is over: so an honest peer never comes near it, whose pings
// come every few seconds. 256 KiB are 15,000 PINGs.
const (
	maxWaste  = 256 << 10
	forgiven  = 2
	maxCredit = 64 << 20
)

// waste is how much a peer has sent that brings nothing, less what is forgiven.
type waste int

// brings notes some bytes that bring something, ours or the peer's, and some that do not.
func (w *waste) brings(something, nothing int) {
	*w = max(-maxCredit, *w+waste(nothing-forgiven*something))
}

func (w waste) tooMuch() bool { return w > maxWaste }

// floodError is why a connection was ended whose peer sends too much that brings nothing.
type floodError struct{ of string }

// Error names what the flood is of.
func (e *floodError) Error() string {
	return fmt.Sprintf("the peer floods the connection with %s that bring nothing: more than %d KiB of them", e.of, maxWaste>>10)
}

// flood is the flood that an exchange has ended by, nil if none.
func (c *Call) flood(err error) *floodError {
	var f *floodError
	if !errors.As(err, &f) {
		errors.As(c.x.link.end(), &f)
	}
	return f
}

// brings is how many bytes of a frame's payload bring something: a header, data without its padding. payload is its
// beginning.
func (h head) brings(payload []byte) int {
	switch h.kind {
	case frameHeaders, frameContinuation:
		return h.length
	case frameData:
		if h.flags&flagPadded != 0 && len(payload) > 0 {
			return max(0, h.length-1-int(payload[0]))
		}
		return h.length
	}
	return 0
}

// name is what frames of the kind are called.
func (h head) name() string {
	if int(h.kind) < len(frameNames) {
		return frameNames[h.kind] + " frames"
	}
	return fmt.Sprintf("frames of type %d", h.kind)
}

// frameNames are the types of frames (RFC 9113, section 6).
var frameNames = [...]string{
	"DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE", "CONTINUATION",
}
