package kinds

import (
	"errors"
	"io"
	"sync"

	"sonde/probe"
	"sonde/probe/conn"
)

// room is what the bodies that are matched may take together, however many runs go on and whatever max_body allows
// each: else a host that sends much, asked by many probes, ends the process. Who finds no room fails for a reason
// that is ours, and gives back what it had. Nobody waits for room while holding some, so that all get on; the wait
// is the one before the next attempt. One body at a time may go beyond, so that none is too great by itself. A nil
// room has no bounds.
type room struct {
	size int // in bytes

	mu    sync.Mutex
	taken int
	over  *gathered // the body that has gone beyond

	buffers sync.Pool // of *gathered
}

const (
	roomSize = 256 << 20
	// freeBody is what a body may take that is not counted.
	freeBody = 16 << 10
	// firstBody is what it takes at first.
	firstBody = 4 << 10
	// maxKept is up to which size a buffer is kept for the next body, so that one great body does not cost its
	// memory for good.
	maxKept = 1 << 20
)

// take counts n more bytes for a body, and is false when there is no room for them; beyond says whether the body may
// be the one that goes beyond.
func (r *room) take(g *gathered, n int, beyond bool) bool {
	if r == nil || n <= 0 {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken+n > r.size {
		if !beyond || r.over != nil && r.over != g {
			return false
		}
		r.over = g
	}
	r.taken += n
	g.taken += n
	return true
}

// leave gives back what a body has taken.
func (r *room) leave(g *gathered) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken -= g.taken
	g.taken = 0
	if r.over == g {
		r.over = nil
	}
}

// gathered is a body that is gathered to be matched.
type gathered struct {
	data  []byte
	taken int // counted in the room
}

// gather begins to gather a body. It is to be released. A buffer of others for which there is no room is let go, not
// taken beyond: the body may be a small one.
func (r *room) gather() *gathered {
	if r == nil {
		return new(gathered)
	}
	g, ok := r.buffers.Get().(*gathered)
	if !ok {
		g = new(gathered)
	}
	if !r.take(g, cap(g.data)-freeBody, false) {
		g.data = nil
	}
	return g
}

// release ends the use of a body.
func (r *room) release(g *gathered) {
	if r == nil {
		return
	}
	r.leave(g)
	if g.data = g.data[:0]; cap(g.data) > maxKept {
		g.data = nil
	}
	r.buffers.Put(g)
}

// read gathers a body to its end, but no more than so many bytes of it.
func (r *room) read(g *gathered, from io.Reader, most int) error {
	for len(g.data) < most {
		if len(g.data) == cap(g.data) && !r.grow(g, most) {
			return noRoom
		}
		n, err := from.Read(g.data[len(g.data):min(cap(g.data), most)])
		g.data = g.data[:len(g.data)+n]
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// grow makes a full buffer greater, and is false when there is no room for that.
func (r *room) grow(g *gathered, most int) bool {
	had := cap(g.data)
	want := min(max(2*had, firstBody), most)
	if !r.take(g, want-max(had, freeBody), true) {
		return false
	}
	grown := make([]byte, had, want)
	copy(grown, g.data)
	g.data = grown
	return true
}

// noRoom is the failure of a body for which there is no room.
var noRoom = &conn.Failure{
	Reason: probe.ReasonLocalResource, Transient: true,
	Err: errors.New("there is no room to match the body: the bodies that are matched at this time take all that they may together"),
}
